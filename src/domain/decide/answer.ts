import { agentKinds, takesCommand } from '../../agents/agents.ts';
import { err, ok, type Result, unreachable } from '../base/result.ts';
import { answerOnBoard } from '../board/board-requests.ts';
import { answerRole, resolveBarrier, waitsForClosure } from '../closure/role-requests.ts';
import { endDependency, examineDependency } from '../dependencies/dependency-requests.ts';
import { isVoid, plannedIn } from '../derived/derived-tasks.ts';
import { heldFindings } from '../explain/hold.ts';
import type { Finding } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import { findingsIn } from '../gates/verdict.ts';
import { discard, discardedBy } from '../kept/discard.ts';
import { isUndone, leftToLand } from '../landing/undo.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By, RequestEvent, TapName } from '../ledger/requests.ts';
import { plannedById } from '../plan/plan.ts';
import { registerProof, revokeProof } from '../proofs/bundle-requests.ts';
import { answerRelaunch } from '../relaunch/answer-relaunch.ts';
import { strayed } from '../run/recovery.ts';
import { checksToRepeat, isRoundOpen } from '../run/round.ts';
import { evolveRun, type RunState } from '../run/run.ts';
import { endedAttempt, isHalted, liveAttempt, snapshotOf, type TaskState } from '../run/task.ts';
import { ownershipConflicts } from '../scope/ownership.ts';
import { mayChange, scopeOf } from '../scope/scope.ts';
import { decideTap, type TapDecision } from './decide-tap.ts';
import { landNow } from './land-now.ts';
import { isAllowedLate, isDefinitionRefused } from './late-requests.ts';
import { answerReplan } from './replan.ts';
import { acceptSnapshot, editSnapshot, restarts } from './take-work.ts';

/**
 * `later`: an agent has to stop or the merger has to finish first; the request stays pending. No events: the request changes
 * nothing, because it has happened already.
 */
export type RequestAnswer = Result<readonly RunEvent[] | 'later', Finding>;

/** Decides a person's request. A refusal is an answer too, and gives its reason. `at` is the time; absent where nothing is recorded. */
export function answer(state: RunState, request: RequestEvent, at?: string): RequestAnswer {
  if (!namesCaller(request)) return err(unknownRequest(request));
  if (state.ended !== null && !isAllowedLate(state, request)) return err({ rule: 'run-ended', outcome: state.ended });
  if (state.abandoned !== null && state.ended === null && !isAllowedAbandoned(state, request))
    return isMoveBegun(state, request) ? ok('later') : err({ rule: 'run-abandoned', who: state.abandoned.who });
  switch (request.type) {
    case 'requested-run':
      return err({ rule: 'run-exists', run: state.run });
    case 'requested-approve':
      return tap(state, request.tap, 'approved', request);
    case 'requested-reject':
      return tap(state, request.tap, 'rejected', request);
    case 'requested-hold':
      return tap(state, request.tap, 'held', request);
    case 'requested-pause':
      return ok([{ type: 'run-paused', by: request.by }]);
    case 'requested-stop':
      return ok([{ type: 'run-stopped', by: request.by }]);
    case 'requested-resume':
      return ok([runResumed(state, request.by)]);
    case 'requested-abandon':
      return abandon(state, request.by);
    case 'requested-replan':
      return answerReplan(state, request);
    case 'requested-land':
      return landNow(state, request);
    case 'requested-landing-edit':
      return isLandingMoving(state) ? err({ rule: 'branch-moving' }) : ok('later');
    case 'requested-undo':
      if (isUndone(state, request.task)) return ok([]);
      if (state.plan.land === 'pr') return err(undoOfRequest(state));
      if (state.undo.status !== 'landed') return err({ rule: 'nothing-landed' });
      return request.task !== null && leftToLand(state).includes(request.task)
        ? err({ rule: 'task-not-landed', task: request.task })
        : ok('later');
    case 'requested-raise':
      return raise(state, request);
    case 'requested-send':
      return send(state, request);
    case 'requested-post':
    case 'requested-answer':
    case 'requested-record':
      return answerOnBoard(state, request, at);
    case 'requested-relaunch':
      return answerRelaunch(state, request);
    case 'requested-resolve':
      return resolveBarrier(state, request, at);
    case 'requested-dependency':
      return examineDependency(state, request);
    case 'requested-dependency-end':
      return endDependency(state, request);
    case 'requested-proof':
      return registerProof(state, request);
    case 'requested-proof-revoke':
      return revokeProof(state, request);
    case 'requested-discard':
      return discardKept(state, request);
    case 'requested-grant':
    case 'requested-drop':
    case 'requested-retry':
    case 'requested-rework':
    case 'requested-accept':
    case 'requested-edit':
      return answerTask(state, request);
    default:
      // Anyone may append a request, another version of ours included: what is not known is refused, not fallen over.
      return err(unknownRequest(request));
  }
}

/** Another version of ours, or another program, may have left it without. */
export const namesCaller = ({ by }: { readonly by?: Partial<By> }): boolean => typeof by?.who === 'string';

export const unknownRequest = ({ type }: { readonly type: string }): Finding => ({
  rule: 'request-unknown',
  type: boundedWords(type, 100),
});

/** Forgets outcomes of checks that could not run, so that they run again. */
export function runResumed(state: RunState, by: By): RunEvent {
  const rechecks = checksToRepeat(state);
  return { type: 'run-resumed', ...(rechecks.length === 0 ? {} : { rechecks }), by };
}

type TaskRequest = Extract<
  RequestEvent,
  {
    readonly type:
      | 'requested-grant'
      | 'requested-drop'
      | 'requested-retry'
      | 'requested-rework'
      | 'requested-accept'
      | 'requested-edit';
  }
>;

function answerTask(state: RunState, request: TaskRequest): RequestAnswer {
  const task = state.tasks[request.task];
  if (task === undefined) return err({ rule: 'no-such-task', run: state.run, task: request.task });
  if (state.ended !== null && request.type === 'requested-drop')
    return isAboutRole(state, request)
      ? err({ rule: 'role-request', run: state.run, task: task.id, ended: true })
      : discard(state, task, request.by);
  if (plannedIn(state, task.id) === undefined) return err({ rule: 'task-removed', task: task.id });
  const [standsFor] = state.derived?.[task.id]?.standsFor ?? [];
  if (standsFor !== undefined && isVoid(state, task.id)) return err({ rule: 'derived-void', task: task.id, standsFor });
  if (standsFor !== undefined && request.type === 'requested-grant')
    return err({ rule: 'derived-grant', run: state.run, task: task.id, standsFor });
  if (isAboutRole(state, request) && (task.about?.landing === true || state.waves[task.wave]?.closed === false))
    return answerRole(state, task, request);
  const wave = state.waves[task.wave];
  const accepts = request.type === 'requested-grant' && isDefinitionRefused(state, task.id);
  if (wave === undefined || (wave.closed && !accepts)) return err({ rule: 'wave-closed', wave: task.wave });
  if (isIntegrating(state, task)) return answerInRound(state, task, request);
  const { status } = task.progress;
  const { by } = request;
  switch (request.type) {
    case 'requested-grant':
      return grant(state, task, request);
    case 'requested-drop':
      if (status === 'merged') return err({ rule: 'drop-merged', task: task.id });
      if (request.paths.length > 0 && request.paths.every((path) => isTakenOut(task, path))) return ok([]);
      if (request.paths.length > 0)
        return status === 'held'
          ? ok('later')
          : err({ rule: 'task-status', task: task.id, action: 'drop-paths', status });
      if (status === 'launching' || status === 'running' || status === 'ended') return ok('later');
      return ok([{ type: 'task-dropped', task: task.id, by }]);
    case 'requested-retry':
      return retry(state, task, request);
    case 'requested-rework':
      if (status === 'held' || status === 'failed' || status === 'ready')
        return ok([
          {
            type: 'task-reworked',
            task: task.id,
            message: request.message,
            from: snapshotOf(task)?.commit ?? 'base',
            ...foundIn(state, task),
            by,
          },
          ...restarts(state, task.id),
        ]);
      return err({ rule: 'task-status', task: task.id, action: 'rework', status });
    case 'requested-accept':
      return acceptSnapshot(state, task, request);
    case 'requested-edit':
      return editSnapshot(state, task, request);
    default:
      return unreachable(request);
  }
}

/** Paths of a closure role are granted and dropped as those of any task. */
function isAboutRole({ plan }: RunState, request: TaskRequest): boolean {
  const isOfPaths =
    request.type === 'requested-grant' || (request.type === 'requested-drop' && request.paths.length > 0);
  return !isOfPaths && plannedById(plan, request.task)?.closes !== undefined;
}

/**
 * Answers a request about a task in a round. A halted run does not finish its round, and closure roles may keep one open for long,
 * so a round that has moved nothing is abandoned for the request.
 */
function answerInRound(state: RunState, { id, wave }: TaskState, request: TaskRequest): RequestAnswer {
  const round = state.waves[wave]?.rounds.at(-1);
  const isWaiting = state.mode.mode === 'halted' || waitsForClosure(state, state.waves[wave]);
  if (!isWaiting || round === undefined || round.status === 'merging') return ok('later');
  const because = { rule: 'round-interrupted', task: id } as const;
  const abandonment = { type: 'round-abandoned', wave, round: round.round, because } as const;
  const after = evolveRun(state, { seq: 0, event: abandonment });
  if (after === null) return ok('later');
  const decided = answerTask(after, request);
  return decided.ok && decided.value !== 'later' ? ok([abandonment, ...decided.value]) : decided;
}

/** In an open round. Until that is over, its snapshot stays what the round was opened with. */
export function isIntegrating({ waves }: RunState, { id, wave, progress }: TaskState): boolean {
  const round = waves[wave]?.rounds.at(-1);
  if (!isRoundOpen(round)) return false;
  // the work of a derived task is integrated for a task that is held
  const isMade = round.tasks.some(({ task, by = task }) => by === id) && progress.status === 'ready';
  return isMade || round.tasks.some(({ task, by }) => task === id && by !== undefined);
}

/** Gives the agent the findings about the work that it continues, so that a person need not copy them. */
function foundIn(state: RunState, { progress }: TaskState): { readonly findings?: readonly Finding[] } {
  if (progress.status === 'held') return { findings: heldFindings(state, progress.hold) };
  const findings = progress.status === 'failed' ? findingsIn(progress.attempt.monitored ?? []) : [];
  return findings.length === 0 ? {} : { findings };
}

const isTakenOut = (task: TaskState, path: string): boolean =>
  (endedAttempt(task)?.takenOut ?? []).some(
    (taken) => taken === path || taken.startsWith(`${path.replace(/\/$/, '')}/`),
  );

/** With another agent a task that only waits keeps what is there of it: nothing of it went wrong. */
function retry(
  state: RunState,
  task: TaskState,
  request: TaskRequest & { readonly type: 'requested-retry' },
): RequestAnswer {
  const { agent, by } = request;
  const { status } = task.progress;
  const unknown = agent === undefined ? null : unknownAgent(state, task, agent);
  if (unknown !== null) return err(unknown);
  const chosen = agent === undefined ? [] : [{ type: 'agent-chosen', task: task.id, agent, by } as const];
  if (status === 'held' || status === 'failed' || status === 'dropped' || isHalted(task))
    return ok([...chosen, { type: 'task-retried', task: task.id, ...strayed(task), by }, ...restarts(state, task.id)]);
  if (status === 'waiting' && agent !== undefined) return ok(chosen);
  return err({ rule: 'task-status', task: task.id, action: 'retry', status });
}

function unknownAgent({ plan }: RunState, task: TaskState, agent: string): Finding | null {
  const kind = Object.hasOwn(agentKinds, agent) ? agentKinds[agent] : undefined;
  if (kind === undefined) return { rule: 'no-such-agent', agent, known: Object.keys(agentKinds) };
  const isUnnamed = takesCommand(agent) && plannedById(plan, task.id)?.command === null;
  return isUnnamed ? { rule: 'agent-without-command', agent, task: task.id } : null;
}

/** The request is settled when the files are gone. */
function discardKept(
  state: RunState,
  { task, paths }: RequestEvent & { readonly type: 'requested-discard' },
): RequestAnswer {
  if (state.tasks[task] === undefined) return err({ rule: 'no-such-task', run: state.run, task });
  const found = discardedBy(state, task, paths);
  return found.ok ? ok('later') : err({ rule: 'not-kept', run: state.run, task, path: found.error.path });
}

/** The request is settled when the supervisor says that the agent has the message. */
function send(state: RunState, request: RequestEvent & { readonly type: 'requested-send' }): RequestAnswer {
  const task = state.tasks[request.task];
  if (task === undefined) return err({ rule: 'no-such-task', run: state.run, task: request.task });
  const message = { run: state.run, task: task.id, words: request.message };
  const { progress } = task;
  if (progress.status === 'launching') return ok('later');
  if (progress.status !== 'running') return err({ rule: 'agent-not-running', ...message, status: progress.status });
  const { agent } = progress.attempt;
  return agentKinds[agent]?.hears === true ? ok('later') : err({ rule: 'agent-takes-none', ...message, agent });
}

/** A limit that nobody is near may be raised too. */
function raise(state: RunState, { task, usd, by }: RequestEvent & { readonly type: 'requested-raise' }): RequestAnswer {
  if (task !== null && state.tasks[task] === undefined) return err({ rule: 'no-such-task', run: state.run, task });
  if (!Number.isFinite(usd) || usd <= 0) return err({ rule: 'raise-amount' });
  return ok([{ type: 'budget-raised', task, usd, by }]);
}

function grant(
  state: RunState,
  task: TaskState,
  request: TaskRequest & { readonly type: 'requested-grant' },
): RequestAnswer {
  const { paths, by } = request;
  const before = Object.values(state.tasks).map((other) => ({ task: other.id, paths: other.granted }));
  const granted = [...before, { task: task.id, paths }];
  const [conflict] = ownershipConflicts(state.plan, task.wave, granted);
  if (conflict !== undefined) return err({ rule: 'grant-conflict', because: conflict });
  const planned = plannedIn(state, task.id);
  const scope = planned === undefined ? null : scopeOf(state.plan, planned, granted);
  const meets = (liveAttempt(task)?.requested ?? [])
    .map(({ path }) => path)
    .filter((path) => scope !== null && mayChange(scope, path));
  return ok([{ type: 'task-granted', task: task.id, paths, meets, by }]);
}

function tap(
  state: RunState,
  name: TapName,
  decision: TapDecision,
  request: RequestEvent & { readonly hash: RunState['hash']; readonly at: string },
): RequestAnswer {
  const { hash, at, by } = request;
  const decided = { tap: name, decision, hash, by } as const;
  // `--land` approves a landing before its tap opens
  const isEarly = name === 'land' && decision === 'approved' && by.via === 'land-flag' && state.taps.land === undefined;
  if (!isEarly) return decideTap(state.taps[name], decided, at);
  if (hash !== state.hash) return err({ rule: 'plan-outdated' });
  return ok([
    { type: 'tap-opened', tap: 'land', hash, expires: null },
    { type: 'tap-decided', ...decided },
  ]);
}

/** A halted run starts nothing, so it is resumed too: what is under way has to be ended. */
const abandon = (state: RunState, by: By): RequestAnswer =>
  ok([
    ...(state.abandoned === null ? [{ type: 'run-abandoned', by } as const] : []),
    ...(state.mode.mode === 'halted' ? [runResumed(state, by)] : []),
  ]);

/** True for requests that an abandoned run still accepts. A resume retries its end, which a halt may have prevented. */
const isAllowedAbandoned = ({ mode }: RunState, { type }: RequestEvent): boolean =>
  type === 'requested-abandon' ||
  type === 'requested-discard' ||
  type === 'requested-dependency-end' ||
  (type === 'requested-resume' && mode.mode === 'halted');

/** True when a request has begun to move the branch: the move is finished, whatever was requested since. */
const isMoveBegun = (state: RunState, request: RequestEvent): boolean =>
  request.type === 'requested-undo' && state.landing.status === 'undoing';

/** The target was moved by others, if at all: they take it back. */
function undoOfRequest({ run, landing }: RunState): Finding {
  if (landing.status === 'offered') return { rule: 'undo-pull-request', branch: landing.branch, url: landing.url };
  if (landing.status === 'landed') return { rule: 'undo-pull-request', branch: `tidegate/${run}`, url: null };
  return { rule: 'nothing-landed' };
}

/** A landing under way keeps the tree that was checked. The merger finds out whether it conflicts. */
const isLandingMoving = ({ landing }: RunState): boolean =>
  landing.status === 'intended' || landing.status === 'undoing';

/** The halt that keeps a request from being answered; null when there is none. A halted run only ends agents, removes files and adds dependencies. */
export function waitsForResume(state: RunState, request: RequestEvent): Finding | null {
  const isPerformed = request.type === 'requested-discard' || request.type === 'requested-dependency';
  if (state.mode.mode !== 'halted' || isPerformed) return null;
  const task = request.type === 'requested-drop' ? state.tasks[request.task]?.progress.status : undefined;
  if (task === 'launching' || task === 'running' || task === 'ended') return null;
  const decided = answer(state, request);
  return decided.ok && decided.value === 'later' ? state.mode.because : null;
}
