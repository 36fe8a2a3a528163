import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { unfitToEdit } from '../../domain/decide/take-work.ts';
import { describeRefusal } from '../../domain/explain/explain.ts';
import { type LandingConflict, type SidesBeside, sideName } from '../../domain/landing/landing.ts';
import { isResolved, snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { actAndTell, refusedToAgent } from '../frame/act.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { EditCopy, EditPrograms } from '../frame/ports.ts';
import { type MadeRun, runNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { partName } from '../frame/wording.ts';

/**
 * `tidegate edit [run[/task]]`: a person changes a snapshot by hand, or a landing that conflicts, and what they leave is taken.
 */
export const editWork = (
  { subject }: { readonly subject: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'ask', async (repo) =>
    edit(repo, context, subject, await ports.editPrograms()),
  );

async function edit(
  repo: RepositoryHandle,
  context: Context,
  given: string | undefined,
  programs: EditPrograms,
): Promise<Outcome> {
  const found = await runNamed(repo, 'edit', given, 'newest');
  if (!found.ok) return found.error;
  const { task, run, state } = found.value;
  const { landing } = state;
  // a name that a run and its task begin with: what conflicts is meant
  const isRun = task === null || run.startsWith(given ?? '');
  const conflict = isRun && landing.status === 'refused' ? landing.conflict : undefined;
  const open = Object.values(state.tasks).filter((one) => !isResolved(one));
  const [only] = open;
  const isOnly = only !== undefined && Object.keys(state.tasks).length === 1;
  const edited = task ?? (isOnly ? only.id : null);
  const refused = refusedToAgent(repo, 'edit', `edit ${partName({ run, task })}`);
  if (refused !== null) return refused;
  const hands = { repo, context, programs };
  if (conflict !== undefined) return await editLanding(hands, found.value, conflict);
  if (edited !== null) return await editTask(hands, { ...found.value, task: edited });
  const which = open.length === 0 ? '' : `; which task? ${open.map(({ id }) => id).join(', ')}`;
  return misused('no-task', `edit: no landing of ${run} conflicts${which}`);
}

type Hands = { readonly repo: RepositoryHandle; readonly context: Context; readonly programs: EditPrograms };

async function editTask(hands: Hands, subject: MadeRun & { readonly task: TaskId }): Promise<Outcome> {
  const { state, task } = subject;
  const name = partName(subject);
  const one = state.tasks[task];
  const snapshot = one === undefined ? null : snapshotOf(one);
  if (one === undefined || snapshot === null)
    return failed('nothing-there', `edit: ${name} has no snapshot; see tidegate why ${name}`);
  const { commit: from, base } = snapshot;
  const unfit = unfitToEdit(one, from);
  if (unfit !== null) return failed('refused', `edit: ${describeRefusal(unfit)}; see tidegate why ${name}`);
  const about = `a copy of the snapshot ${from.slice(0, 8)} of ${name}`;
  return await byHand(hands, { from, base, about, conflicts: [] }, async (copy) => {
    return await actAndTell(hands.repo, { action: 'edit', subject, input: { from, copy } });
  });
}

async function editLanding(hands: Hands, subject: MadeRun, conflict: LandingConflict): Promise<Outcome> {
  const { commit, onto, files, beside = [] } = conflict;
  const { branch } = subject.state.target;
  const about = `what ${subject.run} would land on ${branch}, with both sides of the conflict`;
  return await byHand(
    hands,
    { from: commit, base: onto, about, conflicts: files.map((file) => toSettle(file, beside)) },
    async (copy) => {
      return await actAndTell(hands.repo, { action: 'edit-landing', subject, input: { from: commit, copy } });
    },
  );
}

function toSettle(file: string, beside: readonly SidesBeside[]): string {
  const names = beside.find(({ path }) => path === file)?.sides.map((side) => sideName(file, side)) ?? [];
  if (names.length === 0) return file;
  const rest = names.length === 1 ? 'or remove it' : 'and remove the rest';
  return `${file}: keep ${names.join(' or ')} under that name, ${rest}`;
}

type Files = {
  readonly from: CommitId;
  readonly base: CommitId;
  readonly about: string;
  /** What is to be settled, and how. */
  readonly conflicts: readonly string[];
};
type Handed = Awaited<ReturnType<typeof actAndTell>>;

/** Lets the person change a copy, hands it in when they are through, and removes it once it was taken. */
async function byHand(hands: Hands, of: Files, handIn: (copy: string) => Promise<Handed>): Promise<Outcome> {
  const { repo, context, programs } = hands;
  const copy = await programs.copy(repo, context, { commit: of.from, base: of.base });
  context.terminal.problem(`tidegate: ${copy.path}: ${of.about}`);
  for (const conflict of of.conflicts) context.terminal.problem(`tidegate: settle the conflict in ${conflict}`);
  const waited = await waitForPerson(context, copy, programs);
  if (waited !== 'edited') return givenUp(waited, copy, programs);
  const { performed, outcome } = await handIn(copy.name);
  if (performed.outcome === 'refused' && unchanged.has(performed.because.rule)) {
    programs.remove(copy);
    return { ...done(['You changed nothing, so nothing was taken.'], outcome.data), reason: 'unchanged' };
  }
  if (performed.outcome === 'accepted') {
    programs.remove(copy);
    return outcome;
  }
  return { ...outcome, problems: [...(outcome.problems ?? []), `tidegate: your changes are kept in ${copy.path}`] };
}

const unchanged: ReadonlySet<string> = new Set(['edit-unchanged', 'landing-edit-unchanged']);

type Waited = 'edited' | 'given-up' | 'no-editor';

/** Resolves when the person is through: their editor has ended, or they say so where it has a window of its own. */
async function waitForPerson(context: Context, { path }: EditCopy, programs: EditPrograms): Promise<Waited> {
  const opened = await programs.editor(context, path);
  if (opened === 'closed') return 'edited';
  if (opened === 'failed') return 'given-up';
  if (!context.terminal.interactive) return 'no-editor';
  using _ = context.onSignal(() => undefined);
  const said = await context.terminal.ask(
    'Change what you like there, save it, then press enter. Ctrl-C takes nothing.',
  );
  return said === null ? 'given-up' : 'edited';
}

function givenUp(waited: Exclude<Waited, 'edited'>, copy: EditCopy, programs: EditPrograms): Outcome {
  if (waited === 'no-editor') {
    programs.remove(copy);
    return misused('no-editor', 'edit: set VISUAL or EDITOR to a program that lives in the terminal, or use one');
  }
  return {
    exit: exitCodes.interrupted,
    reason: 'given-up',
    problems: [`tidegate: nothing was taken. The copy is still in ${copy.path}; remove it when you do not need it`],
    data: { path: copy.path },
  };
}
