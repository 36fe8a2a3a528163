import { evolveProviders, type Providers, served } from '../agents/provider.ts';
import type { CommitId, PlanHash, RunId, TaskId, TreeId } from '../base/ids.ts';
import { byName } from '../base/result.ts';
import { type Board, withBoard } from '../board/board.ts';
import { evolveTap, type TapState } from '../decide/tap.ts';
import { type Dependency, evolveDependencies } from '../dependencies/dependency.ts';
import { type DerivedTask, isVoid, plannedIn, withDerived } from '../derived/derived-tasks.ts';
import type { Finding } from '../findings/finding.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { Shortage } from '../kept/disk.ts';
import { evolveKept, type Kept } from '../kept/kept.ts';
import { evolveLanding, type LandingState, noLanding } from '../landing/landing.ts';
import { evolveUndo, leftToLand, type UndoState } from '../landing/undo.ts';
import { isDcmEvent } from '../ledger/dcm-events.ts';
import { isRequest, type LedgerEvent, type RunEvent, type RunOutcome } from '../ledger/events.ts';
import type { By, RequestEvent, TapName } from '../ledger/requests.ts';
import { mayStartAgain, type OrchestratorState, withOrchestrator } from '../orchestrator/orchestrator.ts';
import type { Continuation } from '../plan/earlier-waves.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import { replacePlan } from '../plan/plan-versions.ts';
import type { Bundle } from '../proofs/bundle.ts';
import { evolveBundles } from '../proofs/registry.ts';
import { boundBy } from './bound-thread.ts';
import { evolveTask } from './evolve-task.ts';
import { newRun } from './new-run.ts';
import { evolveRound } from './round.ts';
import type { TaskState } from './task.ts';
import type { WaveState } from './wave.ts';

export type { WaveState } from './wave.ts';

/** One run as its ledger stream says it is. Plain data: two folds of the same events are equal byte for byte. */
export type RunState = {
  readonly run: RunId;
  readonly plan: FrozenPlan;
  readonly hash: PlanHash;
  readonly planFile: string;
  /** `apart`: the run branch does not lie on it, because it holds rebuilt copies of our commits, or the run began at uncommitted changes. */
  readonly target: { readonly branch: string; readonly commit: CommitId; readonly apart: boolean };
  readonly only: number | null;
  /** The branch of another run that it continues. */
  readonly continues: Continuation | null;
  /** The commit of the person's uncommitted changes that the run branch began at; null when there are none. */
  readonly uncommitted: CommitId | null;
  readonly contract: readonly Verdict[] | null;
  readonly load: readonly Verdict[] | null;
  readonly waves: readonly WaveState[];
  readonly tasks: Readonly<Record<TaskId, TaskState>>;
  /** Tasks that Tidegate made during the run; absent for none. They are not in the plan. */
  readonly derived?: Readonly<Record<TaskId, DerivedTask>>;
  /** The resident orchestrator; absent when none was launched. Nothing that is decided about tasks reads it. */
  readonly orchestrator?: OrchestratorState;
  readonly taps: Readonly<Partial<Record<TapName, TapState>>>;
  /** The person's own commit that the run branch began at; null until the merger made it, and for a run that continues another. */
  readonly began: CommitId | null;
  /** The tip of the run branch; null until the merger made it. */
  readonly branch: { readonly commit: CommitId; readonly tree: TreeId } | null;
  /** The newest commits, so many, are all that agents see of the history; absent when they see it whole. */
  readonly history?: number;
  readonly checks: Readonly<Record<string, CheckOutcome>>;
  readonly landing: LandingState;
  readonly undo: UndoState;
  readonly providers: Providers;
  /** Dollars that people added to the run's limit. */
  readonly raised: number;
  /** The budget of the run for which the warning was sent. */
  readonly warned: number | null;
  readonly board: Board;
  /** How often each task was started again for records that waited for it; absent when none was. */
  readonly helps?: Readonly<Record<TaskId, number>>;
  /** Records of the repository's board that the run has taken over, with their ids on its own board; absent for none. */
  readonly taken?: Readonly<Record<string, string>>;
  /** The number of notices about overdue records; absent for none. */
  readonly alerts?: number;
  /** Grants, raises and most changes of the board so far. `termsVersion` counts all that agents may do or know. */
  readonly termsCount: number;
  /** Files of ended attempts that no snapshot holds and no person has discarded yet. */
  readonly kept: readonly Kept[];
  /** Proofs that people gave, in order; absent for none. */
  readonly bundles?: readonly Bundle[];
  /** Dependencies that the run has or owes, in order; absent for none. */
  readonly dependencies?: readonly Dependency[];
  readonly mode: RunMode;
  /** While there is one, no attempt starts. */
  readonly shortage: Shortage | null;
  /** The person who gave it up; it ends as soon as nothing of it is under way. */
  readonly abandoned: By | null;
  readonly ended: RunOutcome | null;
  /** Requests that wait for an answer, by ledger sequence. */
  readonly pending: readonly { readonly seq: number; readonly request: RequestEvent }[];
};

export type RunMode =
  | { readonly mode: 'active' }
  | { readonly mode: 'paused' | 'stopped'; readonly who: string }
  | { readonly mode: 'halted'; readonly because: Finding };

export type Recorded = { readonly seq: number; readonly event: LedgerEvent };

/** Null for a stream that does not begin with `run-created`: requests alone make no run. */
export const foldRun = (events: readonly Recorded[]): RunState | null =>
  events.reduce<RunState | null>(evolveRun, null);

/** Applies an event to a run. Total: an event in the ledger is a fact and is never refused. */
export function evolveRun(state: RunState | null, { seq, event }: Recorded): RunState | null {
  if (event.type === 'run-created') return newRun(event);
  if (state === null || isDcmEvent(event)) return state;
  if (isRequest(event)) return { ...state, pending: [...state.pending, { seq, request: event }] };
  switch (event.type) {
    case 'ledger-opened':
    case 'coordinator-started':
    case 'coordinator-stopped':
      return state;
    case 'request-accepted':
    case 'request-refused':
      return { ...state, pending: state.pending.filter((waiting) => waiting.seq !== event.request) };
    default:
      return withBoard(evolveFact(state, seq, event), event);
  }
}

function evolveFact(state: RunState, seq: number, event: RunEvent): RunState {
  switch (event.type) {
    case 'run-created':
    case 'message-sent':
    case 'record-posted':
    case 'record-answered':
    case 'record-closed':
    case 'record-changed':
    case 'helper-assigned':
    case 'records-overdue':
    case 'request-accepted':
    case 'request-refused':
      return state;
    case 'orchestrator-intended':
    case 'orchestrator-started':
    case 'orchestrator-noted':
    case 'orchestrator-told':
    case 'orchestrator-ended':
      return withOrchestrator(state, event);
    case 'plan-replaced':
      return { ...replacePlan(state, event), ...mayStartAgain(state) };
    case 'phase-judged':
      return evolveJudged(state, event);
    case 'thread-intended':
      return withWave(state, event.wave, (wave) => ({ ...wave, threadKey: event.key }));
    case 'starts-suspended':
      return { ...state, shortage: { because: event.because } };
    case 'starts-allowed':
      return { ...state, shortage: null };
    case 'run-branch-made':
      return {
        ...state,
        target:
          event.onto === undefined
            ? { ...state.target, commit: event.commit }
            : { ...state.target, commit: event.onto, apart: true },
        began: state.continues === null ? event.commit : null,
        uncommitted: event.onto === undefined ? null : event.commit,
        branch: { commit: event.commit, tree: event.tree },
        ...(event.history === undefined ? {} : { history: event.history }),
      };
    case 'tap-opened':
    case 'tap-decided': {
      const taps = { ...state.taps, [event.tap]: evolveTap(state.taps[event.tap], event) };
      // a yes is for a landing of its own; until then the refusal of the one before stays to be read
      const isYes = event.tap === 'land' && event.type === 'tap-decided' && event.decision === 'approved';
      return { ...state, taps, landing: isYes ? noLanding : state.landing };
    }
    case 'task-base-made':
    case 'task-base-refused':
    case 'attempt-intended':
    case 'attempt-started':
    case 'attempt-noted':
    case 'attempt-told':
    case 'agent-chosen':
    case 'paths-dropped':
    case 'task-accepted':
    case 'task-edited':
    case 'attempt-settled':
    case 'task-held':
    case 'task-released':
    case 'task-dropped':
    case 'task-retried':
    case 'task-reworked':
    case 'task-continued':
    case 'role-opened':
    case 'sides-compared':
      return evolveOneTask(state, event.task, event);
    case 'attempt-ended':
      return served({ ...evolveOneTask(state, event.task, event), kept: evolveKept(state.kept, event) }, event);
    case 'kept-discarded':
      return { ...state, kept: evolveKept(state.kept, event) };
    case 'task-granted':
      return withWave(
        evolveOneTask({ ...state, termsCount: state.termsCount + 1 }, event.task, event),
        waveOf(state, event.task),
        (wave) => ({ ...wave, ownership: null }),
      );
    case 'budget-raised': {
      const raised = event.task === null ? state.raised + event.usd : state.raised;
      return evolveAllTasks({ ...state, raised, termsCount: state.termsCount + 1 }, event);
    }
    case 'budget-near':
      return event.task === null ? { ...state, warned: event.limit } : evolveOneTask(state, event.task, event);
    case 'check-ended':
      return { ...state, checks: { ...state.checks, [checkKey(event.check.tree, event.check.name)]: event.check } };
    case 'round-opened': {
      const { round, base, tasks } = event;
      return withWave(state, event.wave, (wave) => ({
        ...wave,
        rounds: [...wave.rounds, { round, base, tasks, status: 'opened' }],
      }));
    }
    case 'candidate-built':
    case 'generator-ended':
    case 'candidate-completed':
    case 'components-promoted':
    case 'candidate-extended':
    case 'culprit-found':
    case 'merge-intended':
    case 'round-abandoned':
      return withLastRound(state, event.wave, event);
    case 'task-derived':
      return withDerived(state, event);
    case 'proof-registered':
    case 'proof-revoked':
      return { ...state, bundles: evolveBundles(state.bundles ?? [], event) };
    case 'dependency-added':
    case 'dependency-owed':
    case 'dependency-unmet':
    case 'dependency-resolved':
    case 'dependency-cancelled':
      return { ...state, dependencies: evolveDependencies(state.dependencies ?? [], event) };
    case 'barrier-resolved': {
      const { barrier, tree, reason, by, task } = event;
      const judged = task === undefined ? state : evolveOneTask(state, task, event);
      return withWave(judged, event.wave, (wave) => ({
        ...wave,
        resolved: [...(wave.resolved ?? []), { barrier, tree, reason, by }],
      }));
    }
    case 'merged':
      return evolveMerged(state, event);
    case 'wave-closed': {
      // with `land: wave` each closed wave lands anew, unless the landing before took its work along
      const hasLanded = state.landing.status === 'landed' && leftToLand(state).length === 0;
      const landing = hasLanded ? state.landing : noLanding;
      return withWave({ ...state, landing }, event.wave, (wave) => ({ ...wave, closed: true }));
    }
    case 'landed': {
      const apart = state.target.apart || event.new !== state.branch?.commit;
      const target =
        event.branch === state.target.branch ? { ...state.target, commit: event.new, apart } : state.target;
      return { ...state, target, ...evolveOnTarget(state, event) };
    }
    case 'landing-queued':
      return { ...state, landing: { status: 'queued', seq } };
    case 'target-observed':
    case 'landing-rebuilt':
    case 'landing-intended':
    case 'landing-refused':
    case 'landing-edited':
    case 'branch-made':
    case 'push-intended':
    case 'pushed':
    case 'pull-request-intended':
    case 'pull-request-opened':
    case 'pull-request-landed':
    case 'undo-prepared':
    case 'undo-intended':
    case 'undone':
    case 'undo-refused':
      return { ...state, ...evolveOnTarget(state, event) };
    case 'provider-paused':
      return { ...state, providers: evolveProviders(state.providers, event) };
    case 'wave-relaunched':
      return evolveAllTasks(state, event);
    case 'provider-resumed':
      return { ...evolveAllTasks(state, event), providers: evolveProviders(state.providers, event) };
    case 'run-paused':
      return { ...state, mode: { mode: 'paused', who: event.by.who } };
    case 'run-stopped':
      return { ...state, mode: { mode: 'stopped', who: event.by.who } };
    case 'run-resumed':
      return {
        ...evolveAllTasks(state, event),
        ...mayStartAgain(state),
        providers: evolveProviders(state.providers, event),
        checks: withoutChecks(state, event.rechecks ?? []),
        mode: { mode: 'active' },
      };
    case 'run-abandoned':
      return { ...state, abandoned: event.by };
    case 'run-halted':
      return { ...state, mode: { mode: 'halted', because: event.because } };
    case 'run-ended':
      return { ...state, ended: event.outcome };
  }
}

function evolveJudged(state: RunState, event: RunEvent & { readonly type: 'phase-judged' }): RunState {
  const { verdicts } = event;
  switch (event.phase) {
    case 'contract':
      return { ...state, contract: verdicts };
    case 'load':
      return { ...state, load: verdicts };
    case 'thread':
    case 'preflight':
    case 'ownership':
    case 'approval':
      return withWave(state, event.wave, (wave) => ({ ...wave, ...boundBy(event), [event.phase]: verdicts }));
    case 'dispatch':
    case 'monitor':
      return evolveOneTask(state, event.task, event);
    case 'closure':
    case 'merge':
      return withLastRound(state, event.wave, event);
  }
}

const evolveOnTarget = (state: RunState, event: RunEvent): Pick<RunState, 'landing' | 'undo'> => ({
  landing: evolveLanding(state.landing, event),
  undo: evolveUndo(state.undo, event),
});

function evolveMerged(state: RunState, event: RunEvent & { readonly type: 'merged' }): RunState {
  const round = state.waves[event.wave]?.rounds.at(-1);
  const tip = round !== undefined && 'tip' in round ? round.tip : null;
  const branch = tip === null ? state.branch : { commit: event.new, tree: tip.tree };
  return { ...evolveAllTasks(withLastRound(state, event.wave, event), event), branch };
}

/** A fact of one task. A task that is unknown changes nothing: facts are never refused. */
function evolveOneTask(state: RunState, id: TaskId, event: RunEvent): RunState {
  const task = state.tasks[id];
  return task === undefined ? state : { ...state, tasks: byName(state.tasks, { [id]: evolveTask(task, event) }) };
}

/** A fact that may concern any of them: each task says for itself. */
const evolveAllTasks = (state: RunState, event: RunEvent): RunState => ({
  ...state,
  tasks: byName(Object.fromEntries(Object.entries(state.tasks).map(([id, task]) => [id, evolveTask(task, event)]))),
});

function withoutChecks(
  { checks }: RunState,
  forgotten: readonly { readonly tree: TreeId; readonly check: string }[],
): RunState['checks'] {
  const keys = new Set(forgotten.map(({ tree, check }) => checkKey(tree, check)));
  return Object.fromEntries(Object.entries(checks).filter(([key]) => !keys.has(key)));
}

function withWave(state: RunState, index: number, change: (wave: WaveState) => WaveState): RunState {
  return { ...state, waves: state.waves.map((wave) => (wave.index === index ? change(wave) : wave)) };
}

function withLastRound(state: RunState, index: number, event: RunEvent): RunState {
  return withWave(state, index, (wave) => {
    const last = wave.rounds.at(-1);
    // work for an abandoned round may end after the next round was opened
    const isOther = 'round' in event && event.round !== last?.round;
    return last === undefined || isOther
      ? wave
      : { ...wave, rounds: [...wave.rounds.slice(0, -1), evolveRound(last, event)] };
  });
}

// ── questions that several phases ask ──────────────────────────────────────────────────────────────────

export const checkKey = (tree: TreeId, name: string): string => `${tree} ${name}`;

export const waveOf = (state: RunState, task: TaskId): number => state.tasks[task]?.wave ?? -1;

export const tasksOfWave = (state: RunState, wave: number): readonly TaskState[] =>
  (state.plan.waves[wave]?.tasks ?? []).flatMap((task) => state.tasks[task.id] ?? []);

/** Tasks of the plan in force, and tasks that stand for them. Those of an earlier version that it dropped are left out. */
export const plannedStates = (state: RunState): readonly TaskState[] =>
  Object.values(state.tasks).filter(({ id }) => plannedIn(state, id) !== undefined && !isVoid(state, id));

/** Something of this run is on its branch. */
export const hasMerged = (state: RunState): boolean =>
  state.waves.some((wave) => wave.rounds.some((round) => round.status === 'merged'));

/** Returns the waves of this run: all, or the one that was chosen. */
export const selectedWaves = (state: Pick<RunState, 'waves' | 'only'>): readonly WaveState[] =>
  state.waves.filter((wave) => state.only === null || state.only === wave.index);

/** The first selected wave that is not closed. */
export const currentWave = (state: RunState): WaveState | undefined =>
  selectedWaves(state).find((wave) => !wave.closed);
