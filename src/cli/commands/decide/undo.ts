import type { RunId, TaskId } from '../../../domain/base/ids.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { type Dependency, isMetByLanding } from '../../../domain/dependencies/dependency.ts';
import { requirementsOn } from '../../../domain/dependencies/link.ts';
import { brief } from '../../../domain/explain/text.ts';
import { isExactUndo, isUndone } from '../../../domain/landing/undo.ts';
import type { LedgerEvent } from '../../../domain/ledger/events.ts';
import { type KnownRun, knownRuns } from '../../../engine/orders/find-run.ts';
import type { LoggedCommit, RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { eventLine } from '../../../view/event-line.ts';
import { followRun } from '../../follow/follow.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { aRunOrTask, type Context, command, done, exitCodes, failure, type Outcome } from '../../frame/command.ts';
import { type RunSubject, resolveRun, withRepository } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

export const undoCommand = command({
  name: 'undo',
  group: 'decide',
  summary: 'undo a landing; on a terminal, show what happens and ask first',
  arguments: {
    subject: { ...aRunOrTask, about: 'run or run/task (default: the live or newest run)' },
  },
  options: {
    dryRun: { about: 'show what would happen, and do nothing' },
    yes: { about: 'do not ask; required without a terminal' },
  },
  help: 'If nothing was committed on top, the branch moves back. Otherwise revert commits are added after the checks pass on them.',
  run: ({ subject, ...options }, context, { ports }) =>
    withRepository(ports.openRepository, context, options.dryRun ? 'look' : 'ask', (repo) =>
      undo(repo, context, subject, options),
    ),
});

async function undo(
  repo: RepositoryHandle,
  context: Context,
  typed: string | undefined,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
): Promise<Outcome> {
  const hasLanded = ({ state }: KnownRun): boolean => state !== null && state.undo.status !== 'nothing';
  const subject = await resolveRun(repo, 'undo', typed, 'newest', hasLanded);
  if (!subject.ok) return subject.error;
  const name = partName(subject.value);
  const refusal = dryRun ? null : refuseAgentAction(repo, 'undo', `undo ${name}`);
  if (refusal !== null) return refusal;
  const { run, task, state } = subject.value;
  const dependents = dependentLines(await dependentsOn(repo, run, task));
  if (yes && !context.json) for (const line of dependents) context.terminal.line(line);
  if ((dryRun || !yes) && !isUndone(state, task)) {
    const preview = await previewUndo(repo, subject.value);
    if (!preview.ok) return failure('nothing-to-undo', `undo: ${preview.error}`);
    const { data } = preview.value;
    const lines = [...preview.value.lines, ...dependents];
    if (dryRun) return done([...lines, `Nothing was done. To do it: tidegate undo ${name}`], data);
    if (!context.terminal.interactive || context.json) return unconfirmed(name, { lines, data });
    for (const line of lines) context.terminal.line(line);
    const answer = (await context.terminal.ask(`Undo ${name}? [y/N]`))?.trim().toLowerCase();
    if (answer !== 'y' && answer !== 'yes')
      return { exit: exitCodes.personNeeded, reason: 'not-confirmed', lines: ['Nothing was done.'], data };
  }
  await using _following = await followRun(repo, run, ({ event }, isNew) => {
    const line = isNew && isProgress(event) ? eventLine(event) : null;
    if (line !== null && !context.json) context.terminal.line(line);
  });
  return await actOn(repo, { action: 'undo', subject: subject.value, input: {} });
}

type Dependent = { readonly run: RunId; readonly dependency: Dependency; readonly hasLanded: boolean };

/** Required dependencies of other runs on what is undone. A run that is over without having landed does not count. */
async function dependentsOn(repo: RepositoryHandle, run: RunId, task: TaskId | null): Promise<readonly Dependent[]> {
  const runs = (await knownRuns(repo.ledger)).flatMap(({ state }) => state ?? []);
  return runs.flatMap((other) => {
    const hasLanded = other.undo.status === 'landed';
    if (!hasLanded && other.ended !== null && other.ended !== 'done') return [];
    return requirementsOn(other, run)
      .filter(({ required, other: end }) => required && (task === null || !('task' in end) || end.task === task))
      .filter((dependency) => isMetByLanding(dependency))
      .map((dependency) => ({ run: other.run, dependency, hasLanded }));
  });
}

const dependentLines = (dependents: readonly Dependent[]): readonly string[] =>
  dependents.map(({ run, dependency: { id, text }, hasLanded }) =>
    hasLanded
      ? `${run} depends on it (${id}: ${brief(text)}) and has landed: it stays.`
      : `${run} depends on it (${id}: ${brief(text)}): it does not land until you decide about ${id}.`,
  );

/** There is no person to ask, so the branch stays where it is. */
const unconfirmed = (name: string, { lines, data }: UndoPreview): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'not-confirmed',
  needs: [{ kind: 'undo', task: null, message: `undo moves ${data.branch}`, command: `tidegate undo ${name} --yes` }],
  lines: [...lines, 'Nothing was done, because there is no terminal to ask on.'],
  data,
});

/** The end of the undo is the last line of the command itself. */
const isProgress = (event: LedgerEvent): boolean =>
  event.type === 'undo-prepared' || (event.type === 'check-ended' && event.purpose === 'undo');

type UndoPreview = {
  readonly lines: readonly Text[];
  readonly data: {
    readonly run: string;
    readonly branch: string;
    readonly exact: boolean;
    readonly commits: readonly LoggedCommit[];
    readonly checks: readonly string[];
  };
};

/** Describes an undo for the branch as it is now. The merger decides by the branch that it finds. */
async function previewUndo(
  repo: RepositoryHandle,
  { run, task, state, stored }: RunSubject & { readonly task: TaskId | null },
): Promise<Result<UndoPreview, string>> {
  const lastUndo = stored.findLast(({ event }) => event.type === 'undone' && event.task === null)?.seq ?? 0;
  const landings = stored.flatMap(({ seq, event }) => (event.type === 'landed' && seq > lastUndo ? [event] : []));
  const [first, last] = [landings[0], landings.at(-1)];
  if (first === undefined || last === undefined) return err('nothing of this run has landed');
  if (task !== null && !state.undo.landed.includes(task)) return err(`${task} has not landed`);
  const { branch } = last;
  const tip = await repo.git.branchTip(branch);
  if (tip === null) return err(`the branch ${branch} is gone`);
  const exact = isExactUndo(landings, tip, task);
  const log: LoggedCommit[] = [];
  for (const { old, new: next } of landings.toReversed())
    if (old !== null) log.push(...(await repo.patches.log(old, next)));
  const commits = log.filter(
    (one) =>
      one.run === run && (task === null ? exact || !state.undo.tasks.some((id) => id === one.task) : one.task === task),
  );
  const checks = exact ? [] : state.plan.checks.map(({ name }) => name);
  const how = exact
    ? `${branch} goes back to exactly ${first.old === null ? 'nothing' : first.old.slice(0, 8)}: nothing was committed on top of the run.`
    : `${branch} is at ${tip.slice(0, 8)}. New commits on top of it revert, newest first:`;
  return ok({
    lines: [how, ...commits.map(commitLine), checksLine(branch, exact, checks)],
    data: { run, branch, exact, commits, checks },
  });
}

function checksLine(branch: string, exact: boolean, checks: readonly string[]): string {
  if (exact) return 'No check runs, because the branch returns to a commit that it was at before.';
  if (checks.length === 0) return 'The plan has no checks.';
  return `${branch} moves only after these checks have passed on the result: ${checks.join(', ')}.`;
}

const commitLine = ({ commit, title, task }: LoggedCommit): Text => [
  `  ${commit.slice(0, 8)} `,
  { text: task ?? 'generated files', tone: 'strong' },
  `  ${title}`,
];
