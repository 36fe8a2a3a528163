import type { TaskId } from '../domain/base/ids.ts';
import { unreachable } from '../domain/base/result.ts';
import { landingBarriers, openRecords } from '../domain/closure/barriers.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { ThreadEvidence } from '../domain/gates/evidence.ts';
import { judged } from '../domain/gates/judge.ts';
import { passes } from '../domain/gates/verdict.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { landsOnOwnBranch } from '../domain/plan/plan.ts';
import { startable } from '../domain/run/schedule.ts';
import type { Attempt } from '../domain/run/task.ts';
import { contextOf, type Effect } from '../pipeline/step.ts';
import type { Clock } from '../ports/clock.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { type MergerAnswer, MergerFailed, type MergerRequest } from '../ports/merger.ts';
import type { Threads } from '../ports/outbox.ts';
import type { EnginePorts } from './engine-ports.ts';
import { send, superviseAttempt, tell } from './jobs/attempts.ts';
import { discardKept } from './jobs/disk-keeper.ts';
import { superviseOrchestrator, tellOrchestrator } from './jobs/orchestrator.ts';
import { runCheck, runGenerators } from './jobs/project-commands.ts';
import type { AddDependency } from './repository.ts';
import { type RunLog, StaleEpoch } from './run-log.ts';

/** The supervision of one attempt. Messages reach the supervisor only after `followed`. */
type Supervision = { readonly followed: PromiseWithResolvers<void>; ended: Promise<void> | undefined };

/** Performs one effect and records its result. Repeating it after a crash is safe. */
export function performer(
  ports: EnginePorts,
  log: RunLog,
  { addDependency, clock }: { readonly addDependency: AddDependency; readonly clock: Pick<Clock, 'now'> },
): (effect: Effect) => Promise<void> {
  const attempts = new Map<string, Supervision>();
  const supervision = (id: string): Supervision => {
    const one = attempts.get(id) ?? { followed: Promise.withResolvers<void>(), ended: undefined };
    attempts.set(id, one);
    return one;
  };
  const onceFollowed = async (attempt: Pick<Attempt, 'id'>): Promise<Supervision> => {
    const one = supervision(attempt.id);
    await one.followed.promise;
    return one;
  };
  return async (effect) => {
    switch (effect.do) {
      case 'ask-merger':
        return askMerger(ports, log, effect.request, effect.answers);
      case 'merge':
        return askMerger(ports, log, { do: 'merge', run: log.run, wave: effect.wave, round: effect.round }, null);
      case 'supervise': {
        const one = supervision(effect.attempt.id);
        one.ended = superviseAttempt({ ...ports, clock }, log, effect, one.followed.resolve).finally(() => {
          attempts.delete(effect.attempt.id);
          one.followed.resolve();
        });
        return one.ended;
      }
      case 'stop': {
        const { ended } = await onceFollowed(effect.attempt);
        await ports.supervisors.stop(effect.attempt.id, 'stopped');
        // resolves only when the attempt has ended, so that it is requested once and not again and again meanwhile
        return ended?.catch(() => undefined);
      }
      case 'orchestrate': {
        const { id } = effect.orchestrator;
        const one = supervision(id);
        one.ended = superviseOrchestrator({ ...ports, clock }, log, effect, one.followed.resolve).finally(() => {
          attempts.delete(id);
          one.followed.resolve();
        });
        return one.ended;
      }
      case 'stop-orchestrator': {
        const { ended } = await onceFollowed(effect.orchestrator);
        await ports.supervisors.stop(effect.orchestrator.id, 'stopped');
        return ended?.catch(() => undefined);
      }
      case 'tell-orchestrator':
        return tellOrchestrator(ports, log, effect, (await onceFollowed(effect.orchestrator)).ended);
      case 'tell':
        return tell(ports, log, effect, (await onceFollowed(effect.attempt)).ended);
      case 'send':
        return send(ports, log, effect, (await onceFollowed(effect.attempt)).ended);
      case 'discard':
        return discardKept(ports.disk, log, effect);
      case 'check':
        return runCheck(ports, log, effect);
      case 'generate':
        return runGenerators(ports, log, effect);
      case 'observe-run-branch':
        return observeRunBranch(ports, log, effect);
      case 'observe-target':
        return observeTarget(ports, log);
      case 'add-dependency':
        return addDependency(log, effect);
      case 'bind-thread':
        return bindThread(ports.threads, log, effect);
      default:
        return unreachable(effect);
    }
  };
}

async function observeRunBranch(
  ports: EnginePorts,
  log: RunLog,
  effect: Effect & { readonly do: 'observe-run-branch' },
): Promise<void> {
  const observed = await ports.git.runBranchTip(log.run);
  const closed = log.stored().findLast(({ event }) => event.type === 'phase-judged' && event.phase === 'closure');
  await log.record((state) => {
    const round = state?.waves[effect.wave]?.rounds.at(-1);
    if (state === null || observed === null || round?.status !== 'merged' || round.judged) return null;
    const evidence = { round: effect.round, old: effect.old, new: effect.new, observed, proof: closed?.hash ?? '' };
    const verdict = judged(contextOf(state), { phase: 'merge', wave: effect.wave, evidence });
    if (passes(verdict.verdicts)) return [verdict];
    const because = { rule: 'run-branch-elsewhere', expected: effect.new, actual: observed } as const;
    return [verdict, { type: 'run-halted', because }];
  });
  if (observed === null) throw new EnvironmentFailed({ rule: 'run-branch-gone' });
}

async function observeTarget(ports: EnginePorts, log: RunLog): Promise<void> {
  const branch = log.state()?.target.branch ?? '';
  const commit = await ports.git.branchTip(branch);
  await log.record((state) => (state?.landing.status === 'queued' ? [{ type: 'target-observed', commit }] : null));
}

/** Requests the thread of a wave and records the result. Under another version of the plan it is requested anew. */
async function bindThread(
  threads: Threads | undefined,
  log: RunLog,
  { wave, key }: Effect & { readonly do: 'bind-thread' },
): Promise<void> {
  const state = log.state();
  const planned = state?.plan.waves[wave];
  const places = state?.plan.thread;
  if (state === null || planned === undefined || places === undefined) return;
  const { run, hash } = state;
  const { name } = planned;
  const tasks = planned.tasks.map(({ id }) => id);
  const builtin: ThreadEvidence = { board: 'builtin', id: `${run}/wave-${wave}` };
  const evidence = (await threads?.bind({ run, wave, name, tasks, key, places })) ?? builtin;
  await log.record((now) => {
    const waits = now?.hash === hash && now.waves[wave]?.thread === null;
    return waits ? [judged(contextOf(now), { phase: 'thread', wave, evidence })] : null;
  });
}

/** Sends a request to the merger and records its refusal, or the answer to a person's request. */
async function askMerger(
  ports: EnginePorts,
  log: RunLog,
  request: MergerRequest,
  answers: number | null,
): Promise<void> {
  const planBefore = log.state()?.hash;
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
  if (request.do === 'merge' && isOvertaken(log, request.wave, answer.because)) return;
  if (request.do === 'land' && isLandingOvertaken(log, answer.because)) return;
  if (request.do === 'land' || request.do === 'rebuild-landing') return landingRefused(ports, log, answer.because);
  // under another version of the plan the base is requested anew
  if (request.do === 'make-task-base')
    return log.state()?.hash === planBefore ? baseRefused(log, request.task, answer.because) : undefined;
  throw new EnvironmentFailed({ rule: 'merger-refused', request: request.do, because: answer.because });
}

/** The run was abandoned, a dependency added or a record posted, after the merge was requested. The state of the run shows it now. */
function isOvertaken(log: RunLog, index: number, because: Finding): boolean {
  if (because.rule === 'run-abandoned' || because.rule === 'dependency-open') return true;
  const state = log.state();
  const wave = state?.waves[index];
  const isOpen = because.rule === 'proof-broken' && because.gap === 'record-open';
  return isOpen && state !== null && wave !== undefined && openRecords(state, wave).length > 0;
}

/** A dependency was added or a record posted, after the landing was requested. */
function isLandingOvertaken(log: RunLog, because: Finding): boolean {
  if (because.rule === 'dependency-open') return true;
  const state = log.state();
  return because.rule === 'landing-question' && state !== null && landingBarriers(state).length > 0;
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
