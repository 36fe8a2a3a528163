import type { CommitId, TaskId } from '../../../domain/base/ids.ts';
import { unfitToEdit } from '../../../domain/decide/take-work.ts';
import { describeRefusal } from '../../../domain/explain/explain.ts';
import { type LandingConflict, type SidesBeside, sideName } from '../../../domain/landing/landing.ts';
import { isResolved, snapshotOf } from '../../../domain/run/task.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { actAndReport, refuseAgentAction } from '../../frame/act.ts';
import {
  aRunOrTask,
  type Context,
  command,
  done,
  exitCodes,
  failure,
  type Outcome,
  usageError,
} from '../../frame/command.ts';
import type { EditCopy, EditPrograms } from '../../frame/ports.ts';
import { type RunSubject, resolveRun } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

export const editCommand = command({
  name: 'edit',
  group: 'decide',
  summary: 'change a task, or a landing that conflicts, by hand',
  arguments: {
    subject: { ...aRunOrTask, about: 'run/task, or a run whose landing conflicts (default: the live run)' },
  },
  help: 'Opens a copy of the files in VISUAL or EDITOR. The files as you leave them are taken; you may change any path.',
  changes: async ({ subject }, repo, context, { ports }) => edit(repo, context, subject, await ports.editPrograms()),
});

async function edit(
  repo: RepositoryHandle,
  context: Context,
  typed: string | undefined,
  programs: EditPrograms,
): Promise<Outcome> {
  const subject = await resolveRun(repo, 'edit', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { task, run, state } = subject.value;
  const { landing } = state;
  // letters that both a run and its task begin with mean the run, if its landing conflicts
  const isRun = task === null || run.startsWith(typed ?? '');
  const conflict = isRun && landing.status === 'refused' ? landing.conflict : undefined;
  const open = Object.values(state.tasks).filter((one) => !isResolved(one));
  const [only] = open;
  const isOnly = only !== undefined && Object.keys(state.tasks).length === 1;
  const edited = task ?? (isOnly ? only.id : null);
  const refusal = refuseAgentAction(repo, 'edit', `edit ${partName({ run, task })}`);
  if (refusal !== null) return refusal;
  const session = { repo, context, programs };
  if (conflict !== undefined) return await editLanding(session, subject.value, conflict);
  if (edited !== null) return await editTask(session, { ...subject.value, task: edited });
  const which = open.length === 0 ? '' : `; which task? ${open.map(({ id }) => id).join(', ')}`;
  return usageError('no-task', `edit: no landing of ${run} conflicts${which}`);
}

type EditSession = { readonly repo: RepositoryHandle; readonly context: Context; readonly programs: EditPrograms };

async function editTask(session: EditSession, subject: RunSubject & { readonly task: TaskId }): Promise<Outcome> {
  const { state, task } = subject;
  const name = partName(subject);
  const one = state.tasks[task];
  const snapshot = one === undefined ? null : snapshotOf(one);
  if (one === undefined || snapshot === null)
    return failure('nothing-there', `edit: ${name} has no snapshot; see tidegate why ${name}`);
  const { commit: from, base } = snapshot;
  const unfit = unfitToEdit(one, from);
  if (unfit !== null) return failure('refused', `edit: ${describeRefusal(unfit)}; see tidegate why ${name}`);
  const about = `a copy of the snapshot ${from.slice(0, 8)} of ${name}`;
  return await editCopy(session, { from, base, about, conflicts: [] }, async (copy) => {
    return await actAndReport(session.repo, { action: 'edit', subject, input: { from, copy } });
  });
}

async function editLanding(session: EditSession, subject: RunSubject, conflict: LandingConflict): Promise<Outcome> {
  const { commit, onto, files, beside = [] } = conflict;
  const { branch } = subject.state.target;
  const about = `the landing of ${subject.run} on ${branch}, with both sides of the conflict`;
  return await editCopy(
    session,
    { from: commit, base: onto, about, conflicts: files.map((file) => resolutionHint(file, beside)) },
    async (copy) => {
      return await actAndReport(session.repo, { action: 'edit-landing', subject, input: { from: commit, copy } });
    },
  );
}

function resolutionHint(file: string, beside: readonly SidesBeside[]): string {
  const names = beside.find(({ path }) => path === file)?.sides.map((side) => sideName(file, side)) ?? [];
  if (names.length === 0) return file;
  const rest = names.length === 1 ? 'or remove it' : 'and remove the rest';
  return `${file}: keep ${names.join(' or ')} under that name, ${rest}`;
}

type EditedFiles = {
  readonly from: CommitId;
  readonly base: CommitId;
  readonly about: string;
  /** One line for each conflict: the file, and how to resolve it. */
  readonly conflicts: readonly string[];
};
type Report = Awaited<ReturnType<typeof actAndReport>>;

/** Lets the person change a copy, submits it when they have finished, and removes it once it was taken. */
async function editCopy(
  session: EditSession,
  files: EditedFiles,
  submit: (copy: string) => Promise<Report>,
): Promise<Outcome> {
  const { repo, context, programs } = session;
  const copy = await programs.copy(repo, context, { commit: files.from, base: files.base });
  context.terminal.problem(`tidegate: ${copy.path}: ${files.about}`);
  for (const conflict of files.conflicts) context.terminal.problem(`tidegate: resolve the conflict in ${conflict}`);
  const result = await waitForPerson(context, copy, programs);
  if (result !== 'edited') return notEdited(result, copy, programs);
  const { performed, outcome } = await submit(copy.name);
  if (performed.outcome === 'refused' && unchangedRules.has(performed.because.rule)) {
    programs.remove(copy);
    return { ...done(['Nothing was taken, because you made no changes.'], outcome.data), reason: 'unchanged' };
  }
  if (performed.outcome === 'accepted') {
    programs.remove(copy);
    return outcome;
  }
  return { ...outcome, problems: [...(outcome.problems ?? []), `tidegate: your changes are still in ${copy.path}`] };
}

const unchangedRules: ReadonlySet<string> = new Set(['edit-unchanged', 'landing-edit-unchanged']);

type EditorResult = 'edited' | 'given-up' | 'no-editor';

/** Resolves when the editor exits. An editor with its own window is not waited for: the person presses Enter. */
async function waitForPerson(context: Context, { path }: EditCopy, programs: EditPrograms): Promise<EditorResult> {
  const opened = await programs.editor(context, path);
  if (opened === 'closed') return 'edited';
  if (opened === 'failed') return 'given-up';
  if (!context.terminal.interactive) return 'no-editor';
  using _ = context.onSignal(() => undefined);
  const answer = await context.terminal.ask('Edit the files, save them, then press Enter. Ctrl-C cancels.');
  return answer === null ? 'given-up' : 'edited';
}

function notEdited(result: Exclude<EditorResult, 'edited'>, copy: EditCopy, programs: EditPrograms): Outcome {
  if (result === 'no-editor') {
    programs.remove(copy);
    return usageError(
      'no-editor',
      'edit: set VISUAL or EDITOR to a program that runs in the terminal, or use a terminal',
    );
  }
  return {
    exit: exitCodes.interrupted,
    reason: 'given-up',
    problems: [`tidegate: nothing was taken. The copy is still in ${copy.path}; remove it when you no longer need it`],
    data: { path: copy.path },
  };
}
