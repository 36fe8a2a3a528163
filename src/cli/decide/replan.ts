import { err, ok, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { planDifference } from '../../domain/plan/plan-difference.ts';
import { orderIn, prepareReplan } from '../../engine/orders/replan-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { notOrdered } from '../begin/not-ordered.ts';
import { actOn, refusedToAgent } from '../frame/act.ts';
import { exitCodes, type Outcome } from '../frame/command.ts';
import type { MadeRun } from '../frame/subject.ts';
import { failed } from '../frame/with-repository.ts';
import { shortened, wordings } from '../frame/wording.ts';

/** How the files stand to the plan that runs. `message` is one line for people. */
type PlanNote = {
  readonly message: string;
  readonly differences: readonly string[];
  readonly hash: string | null;
  readonly command?: string;
};

/** What `resume` says when the files do not give the frozen plan any more. Null: they do, or the run has ended. */
export async function planNote(repo: RepositoryHandle, { run, state, stored }: MadeRun): Promise<PlanNote | null> {
  if (state.ended !== null) return null;
  const command = `tidegate resume ${run} --replan`;
  const runsOn = `the frozen plan ${state.hash.slice(0, 12)} runs on`;
  const read = await repo.rereadPlan(orderIn(stored));
  if (!read.ok || !read.value.ok) {
    const [first] = read.ok && !read.value.ok ? read.value.findings : [];
    const why = read.ok ? (first === undefined ? 'it has mistakes' : explain(first).detail) : read.error;
    const lint = `tidegate lint ${state.planFile}`;
    const message = `${state.planFile} cannot be taken as it is now (${why}; ${lint}); ${runsOn}`;
    return { message, differences: [why], hash: null, command: lint };
  }
  const { plan, hash } = read.value;
  if (hash === state.hash) return null;
  const differences = planDifference(state.plan, plan);
  const message = `${state.planFile} or the configuration differs (${shortened(differences)}); ${runsOn}. To take the new one: ${command}`;
  return { message, differences, hash, command };
}

/** A new version of the plan, judged like a plan that is run for the first time, and then asked for. */
export async function replan(
  repo: RepositoryHandle,
  subject: MadeRun,
): Promise<Result<{ readonly note: PlanNote; readonly warnings: readonly Finding[] }, Outcome>> {
  const { run, state } = subject;
  const refused = refusedToAgent(repo, 'replan', `resume ${run} --replan`);
  if (refused !== null) return err(refused);
  if (state.ended !== null)
    return err(
      failed('ended', `resume: ${run} has ended (${state.ended}); begin anew with tidegate run ${state.planFile}`),
    );
  const prepared = await prepareReplan(repo, subject);
  if (!prepared.ok) return err(notOrdered(prepared.error, 'resume'));
  const { order, differences, warnings } = prepared.value;
  const { hash } = order;
  if (differences.length === 0) {
    const message = `nothing changed in ${state.planFile} or the configuration; ${run} goes on with the plan that it has`;
    return ok({ note: { message, differences, hash }, warnings });
  }
  const outcome = await actOn(repo, { action: 'replan', subject, input: prepared.value });
  if (outcome.exit !== exitCodes.done) return err(outcome);
  const message = wordings.replan.accepted(subject, prepared.value);
  return ok({ note: { message, differences, hash }, warnings });
}
