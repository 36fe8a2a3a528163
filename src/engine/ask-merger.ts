import type { TaskId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { landsOnOwnBranch } from '../domain/plan/plan.ts';
import { startable } from '../domain/run/schedule.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { type MergerAnswer, MergerFailed, type MergerRequest } from '../ports/merger.ts';
import type { EnginePorts } from './engine-ports.ts';
import { type RunLog, StaleEpoch } from './run-log.ts';

/** Sends a request to the merger and records its refusal, or the answer to a person's request. */
export async function askMerger(
  ports: EnginePorts,
  log: RunLog,
  request: MergerRequest,
  answers: number | null,
): Promise<void> {
  const asked = log.state()?.hash;
  const answer = await askAgain(ports, request);
  if (answer.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${ports.epoch} is over`);
  await log.catchUp();
  // An undo has finished when the ledger says so; otherwise it continues from what the merger recorded. The consequences of an edit
  // are decided from the state that it leads to.
  if ((request.do === 'undo' || request.do === 'take-edit') && answer.outcome === 'done') return;
  if (answers !== null) {
    const settled: RunEvent =
      answer.outcome === 'done'
        ? { type: 'request-accepted', request: answers }
        : { type: 'request-refused', request: answers, because: refusalOf(log, request, answer.because) };
    return log.record((state) => (state?.pending.some((waiting) => waiting.seq === answers) ? [settled] : null));
  }
  if (answer.outcome === 'done') return;
  if (request.do === 'merge' && answer.because.rule === 'run-abandoned') return;
  if (request.do === 'land' || request.do === 'rebuild-landing') return landingRefused(ports, log, answer.because);
  // under another version of the plan it is asked for anew
  if (request.do === 'make-task-base')
    return log.state()?.hash === asked ? baseRefused(log, request.task, answer.because) : undefined;
  throw new EnvironmentFailed({ rule: 'merger-refused', request: request.do, because: answer.because });
}

/** A refused undo names the command that asks for it again. */
const refusalOf = ({ run }: RunLog, request: MergerRequest, because: Finding): Finding =>
  request.do === 'undo' ? { rule: 'undo-refused', run, task: request.task, because } : because;

/** A merger that died is started again: repeating the request is safe, and usually enough. */
async function askAgain(ports: EnginePorts, request: MergerRequest): Promise<MergerAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.merger.ask(request, ports.epoch);
    } catch (cause) {
      if (!(cause instanceof MergerFailed) || tries === 3) throw cause;
    }
  }
}

/** Holds up only this task. Records nothing when the task no longer waits for its base. */
function baseRefused(log: RunLog, task: TaskId, because: Finding): Promise<void> {
  return log.record((state) => {
    const waits = state !== null && startable(state).some(({ id, base }) => id === task && base === null);
    return waits ? [{ type: 'task-base-refused', task, because }] : null;
  });
}

/** Observes the branch again when it has moved meanwhile. Any other refusal is for a person. */
async function landingRefused(ports: EnginePorts, log: RunLog, because: Finding): Promise<void> {
  const tip = await ports.git.branchTip(log.state()?.target.branch ?? '');
  await log.record((state) => {
    if (state === null || state.ended === 'abandoned') return null;
    const { landing } = state;
    if (landing.status === 'refused' || landing.status === 'landed') return null;
    const wasObserved = landing.status === 'observed' && landing.tip !== tip && !landsOnOwnBranch(state.plan);
    const wasIntended = landing.status === 'intended' && because.rule === 'branch-moved';
    const moved = wasObserved || wasIntended;
    return moved ? [{ type: 'target-observed', commit: tip }] : [{ type: 'landing-refused', because }];
  });
}
