import type { TaskId } from '../base/ids.ts';
import type { Barrier } from '../closure/barriers.ts';
import { dependenciesOf } from '../dependencies/blocks.ts';
import { findingsIn } from '../gates/verdict.ts';
import { type RunState, tasksOfWave } from '../run/run.ts';
import type { Advice } from './advice.ts';
import { answerQuestion, reworkInstead, settleRecord } from './commands.ts';
import { dependencyAdvice } from './dependency-advice.ts';
import { describeFinding, sentenceOf } from './explain.ts';
import { holdAdvice } from './hold.ts';
import { brief } from './text.ts';

/** Explains what keeps a wave open, with the command that removes it. */
export function barrierAdvice(state: RunState, barrier: Barrier): Advice {
  const dependency = dependenciesOf(state).find(({ id }) => barrier.kind === 'dependency' && id === barrier.id);
  if (dependency !== undefined) return dependencyAdvice(state, dependency);
  const known = barrier.task === undefined ? undefined : state.tasks[barrier.task]?.progress;
  if (barrier.kind === 'contract' && known?.status === 'held')
    return holdAdvice(state, known.hold, `${state.run}/${barrier.task}`);
  const message = barrierText(state, barrier);
  const safe =
    known?.status === 'merged'
      ? `it is merged, and ${state.target.branch} does not move before this is decided`
      : 'nothing of this wave is merged until it closes';
  if (barrier.record !== undefined && (barrier.owner === 'person' || barrier.kind === 'question')) {
    const isContradiction = barrier.id.startsWith('contradiction-');
    const command = (isContradiction ? settleRecord : answerQuestion)(state.run, barrier.record);
    return { message, safe, command };
  }
  if (barrier.owner !== 'person') return { message, safe, command: `tidegate watch ${state.run}` };
  const resolve = `tidegate resolve ${state.run}/${barrier.id} -m "your reason"`;
  const decide = barrier.tree === undefined ? [] : [`to decide it yourself: ${resolve}`];
  if (barrier.kind !== 'report' || barrier.task === undefined) {
    const { fix, command } = sentenceOf(barrier.because);
    const own = command ?? (fix?.startsWith('tidegate ') === true ? fix : undefined);
    return own === undefined ? { message, safe, command: resolve } : { message, safe, lines: decide, command: own };
  }
  const { task } = barrier;
  const subject = `${state.run}/${task}`;
  const retry = `tidegate retry ${subject}`;
  const output = `its output:            tidegate logs ${subject}`;
  if (barrier.because.rule === 'role-report-missing')
    return { message, safe, lines: [output, ...decide], command: retry };
  const { only, fix } = fixCommand(state, task, barrier);
  const [again, rework] = [`to run the role again: ${retry}`, `to fix the work:       ${fix}`];
  // with several tasks the person has to choose one, so that no command can be pasted
  return { message, safe, lines: [output, only ? again : rework, ...decide], command: only ? fix : retry };
}

/** A role without a report is explained by what its last attempt did wrong. */
function barrierText({ tasks }: RunState, { because, task, owner }: Barrier): string {
  const text = describeFinding(because);
  const progress = task === undefined ? undefined : tasks[task]?.progress;
  if (owner !== 'person' || (progress?.status !== 'failed' && progress?.status !== 'held')) return brief(text, 300);
  if ('because' in because && because.because !== undefined) return brief(text, 300);
  const { dispatched, monitored } = progress.attempt;
  const [first] = findingsIn([...(dispatched ?? []), ...(monitored ?? [])]);
  return brief(first === undefined || first.rule === because.rule ? text : `${text}: ${describeFinding(first)}`, 300);
}

/** Sends the finding to a task of the wave. `only`: there is just one to choose from. */
function fixCommand(
  state: RunState,
  role: TaskId,
  { because }: Barrier,
): { readonly only: boolean; readonly fix: string } {
  const tasks = tasksOfWave(state, state.tasks[role]?.wave ?? -1);
  const [first, ...more] = tasks.filter(({ progress }) => progress.status === 'ready');
  const only = first !== undefined && more.length === 0;
  const fix = reworkInstead(`${state.run}/${only ? first.id : '<task>'}`, brief(describeFinding(because)));
  return { only, fix };
}
