import type { TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { LoggedCommit, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import type { MadeRun } from '../frame/subject.ts';

export type UndoPreview = {
  readonly lines: readonly Text[];
  readonly data: {
    readonly run: string;
    readonly branch: string;
    readonly exact: boolean;
    readonly commits: readonly LoggedCommit[];
    readonly checks: readonly string[];
  };
};

/** What an undo would do as the branch stands now. The merger decides by what it finds then. */
export async function previewUndo(
  repo: RepositoryHandle,
  { run, task, state, stored }: MadeRun & { readonly task: TaskId | null },
): Promise<Result<UndoPreview, string>> {
  const whole = stored.findLast(({ event }) => event.type === 'undone' && event.task === null)?.seq ?? 0;
  const landings = stored.flatMap(({ seq, event }) => (event.type === 'landed' && seq > whole ? [event] : []));
  const [first, last] = [landings[0], landings.at(-1)];
  if (first === undefined || last === undefined) return err('nothing of this run has landed');
  if (task !== null && !state.undo.landed.includes(task)) return err(`${task} has not landed`);
  const { branch } = last;
  const tip = await repo.git.branchTip(branch);
  if (tip === null) return err(`the branch ${branch} is gone`);
  const unbroken = landings.every((landing, index) => index === 0 || landings[index - 1]?.new === landing.old);
  const exact = task === null && tip === last.new && unbroken;
  const found: LoggedCommit[] = [];
  for (const { old, new: next } of landings.toReversed())
    if (old !== null) found.push(...(await repo.patches.log(old, next)));
  const commits = found.filter(
    (one) =>
      one.run === run && (task === null ? exact || !state.undo.tasks.some((id) => id === one.task) : one.task === task),
  );
  const checks = exact ? [] : state.plan.checks.map(({ name }) => name);
  const how = exact
    ? `${branch} goes back to exactly ${first.old === null ? 'nothing' : first.old.slice(0, 8)}: nothing came on top of the run.`
    : `${branch} is at ${tip.slice(0, 8)}; commits on top of it revert, newest first:`;
  const after =
    checks.length === 0
      ? exact
        ? 'No check runs: that commit is what you had.'
        : 'The plan has no checks.'
      : `${branch} moves only after these checks have passed on the result: ${checks.join(', ')}.`;
  const lines = [how, ...commits.map(commitLine), after];
  return ok({ lines, data: { run, branch, exact, commits, checks } });
}

const commitLine = ({ commit, title, task }: LoggedCommit): Text => [
  `  ${commit.slice(0, 8)} `,
  { text: task ?? 'generated files', tone: 'strong' },
  `  ${title}`,
];
