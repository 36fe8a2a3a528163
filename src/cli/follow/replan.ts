import type { RunId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { planDifference } from '../../domain/plan/plan-difference.ts';
import { awaitsResume } from '../../domain/run/resume.ts';
import { isAtRest } from '../../engine/orders/create-run.ts';
import { orderIn, prepareReplan } from '../../engine/orders/replan-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { RunView } from '../../view/run-view.ts';
import { notOrderedOutcome } from '../commands/begin/lint.ts';
import { actOn, refuseAgentAction } from '../frame/act.ts';
import { type Context, done, exitCodes, failure, type Outcome } from '../frame/command.ts';
import { type RunSubject, resolveWholeRun } from '../frame/subject.ts';
import { shortened, wordings } from '../frame/wording.ts';
import { followRun, openTap } from './follow.ts';

/** The differences between the plan files and the plan of a run. */
type PlanNote = {
  /** One line for people. */
  readonly message: string;
  readonly differences: readonly string[];
  readonly hash: string | null;
  readonly command?: string;
};

/** Null when the files still give the frozen plan, and when the run has ended. */
export async function planNote(repo: RepositoryHandle, { run, state, stored }: RunSubject): Promise<PlanNote | null> {
  if (state.ended !== null) return null;
  const command = `tidegate resume ${run} --replan`;
  const unchanged = `the run keeps its plan ${state.hash.slice(0, 12)}`;
  const read = await repo.rereadPlan(orderIn(stored));
  if (!read.ok || !read.value.ok) {
    const [first] = read.ok && !read.value.ok ? read.value.findings : [];
    const why = read.ok ? (first === undefined ? 'it has mistakes' : explain(first).detail) : read.error;
    const lint = `tidegate lint ${state.planFile}`;
    const message = `${state.planFile} has a mistake now (${why}; see ${lint}); ${unchanged}`;
    return { message, differences: [why], hash: null, command: lint };
  }
  const { plan, hash } = read.value;
  if (hash === state.hash) return null;
  const differences = planDifference(state.plan, plan);
  const message = `${state.planFile} or the configuration has changed (${shortened(differences)}); ${unchanged}. Use the new plan: ${command}`;
  return { message, differences, hash, command };
}

/** Reads the plan again, judges it like a new plan, and asks the coordinator to use it. */
export async function replan(
  repo: RepositoryHandle,
  subject: RunSubject,
): Promise<Result<{ readonly note: PlanNote; readonly warnings: readonly Finding[] }, Outcome>> {
  const { run, state } = subject;
  const refusal = refuseAgentAction(repo, 'replan', `resume ${run} --replan`);
  if (refusal !== null) return err(refusal);
  if (state.ended !== null)
    return err(
      failure('ended', `resume: ${run} has ended (${state.ended}). Start a new run: tidegate run ${state.planFile}`),
    );
  const prepared = await prepareReplan(repo, subject);
  if (!prepared.ok) return err(notOrderedOutcome(prepared.error, 'resume'));
  const { order, differences, warnings } = prepared.value;
  const { hash } = order;
  if (differences.length === 0) {
    const message = `nothing changed in ${state.planFile} or the configuration; ${run} keeps its plan`;
    return ok({ note: { message, differences, hash }, warnings });
  }
  const outcome = await actOn(repo, { action: 'replan', subject, input: prepared.value });
  if (outcome.exit !== exitCodes.done) return err(outcome);
  const message = wordings.replan.accepted(subject, prepared.value);
  return ok({ note: { message, differences, hash }, warnings });
}

/** Continues a paused, stopped or halted run, without following it. */
export async function resumeRun(repo: RepositoryHandle, run: RunId): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'resume', run);
  if (!subject.ok) return subject.error;
  return (await liftHalt(repo, subject.value)) ?? done([`${run} continues.`]);
}

/** Resumes a run that is paused, stopped or halted. Null when the run continues; else what prevents it. */
export async function liftHalt(repo: RepositoryHandle, subject: RunSubject): Promise<Outcome | null> {
  if (!awaitsResume(subject.state)) return null;
  const resumed = await actOn(repo, { action: 'resume', subject, input: {} });
  return resumed.exit === exitCodes.done ? null : resumed;
}

/** The plan to ask about next. */
export type PlanProposal = { readonly view: RunView; readonly warnings: readonly Finding[] };

/**
 * Opens the plan in the person's editor and reads it again when they have finished. A changed plan becomes a new version with its own
 * hash to approve. A plan with mistakes changes nothing. Null when the run does not wait for approval any more.
 */
export async function editPlan(
  repo: RepositoryHandle,
  context: Context,
  before: PlanProposal,
): Promise<PlanProposal | null> {
  const { run, planFile } = before.view.state;
  const print = (text: string): void => context.terminal.problem(`tidegate: ${text}`);
  const opened = await repo.edit(planFile);
  if (opened === null) {
    print(`no editor is set. Set VISUAL or EDITOR, or edit ${planFile} elsewhere and answer e again`);
    return before;
  }
  if (opened === 'in-window') await context.terminal.ask(`Press Enter when ${planFile} is saved.`);
  const subject = await resolveWholeRun(repo, 'run', run);
  const replanned = subject.ok ? await replan(repo, subject.value) : subject;
  if (!replanned.ok) {
    for (const line of [...(replanned.error.lines ?? []), ...(replanned.error.problems ?? [])])
      context.terminal.problem(line);
    return before;
  }
  const { note, warnings } = replanned.value;
  print(note.message);
  return note.hash === before.view.state.hash ? before : await awaitProposal(repo, before, note.hash, warnings);
}

/** Waits until the coordinator has judged the new version. */
async function awaitProposal(
  repo: RepositoryHandle,
  { view: { state } }: PlanProposal,
  hash: string | null,
  warnings: readonly Finding[],
): Promise<PlanProposal | null> {
  await using following = await followRun(repo, state.run);
  const patience = AbortSignal.timeout(repo.patienceMs);
  const timeout = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
  for (;;) {
    const view = await following.view();
    if (view !== null && view.state.hash === hash) {
      if (openTap(view) !== null) return { view, warnings };
      if (isAtRest(view.state, { now: view.now, nonce: () => '' })) return null;
    }
    if (patience.aborted) return null;
    await Promise.race([following.changed(), timeout]);
  }
}
