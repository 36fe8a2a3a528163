import type { RunId } from '../base/ids.ts';
import { plainLine } from '../base/safe-text.ts';
import type { PlannedTask } from '../plan/plan.ts';
import { titleOf } from '../plan/title.ts';

type Proposed = {
  readonly run: RunId;
  readonly plan: string;
  readonly tasks: readonly { readonly task: PlannedTask; readonly subject: string }[];
  readonly checks: readonly string[];
};

/** Title and body of a pull request: its tasks, the checks that passed on its tree, and the run that it is of. */
export function pullRequestText({ run, plan, tasks, checks }: Proposed): {
  readonly title: string;
  readonly body: string;
} {
  const [only, ...others] = tasks;
  const title = only !== undefined && others.length === 0 ? only.subject : `${plan}: ${tasks.length} tasks`;
  const list = tasks.map(({ task }) => `- **${task.id}**: ${titleOf(task)}`);
  const proven =
    checks.length === 0 ? 'The plan has no checks.' : `Checks that passed on this tree: ${checks.join(', ')}.`;
  return { title: plainLine(title), body: [...list, '', proven, '', `Tidegate-Run: ${run}`, ''].join('\n') };
}
