import type { AttemptId, CommitId, RunId, TaskId, TreeId } from '../domain/base/ids.ts';
import type { LinkedRuns } from '../domain/dependencies/link.ts';
import type { JudgeContext } from '../domain/gates/judge.ts';
import type { Passed } from '../domain/gates/phase.ts';
import type { Shortage } from '../domain/kept/disk.ts';
import type { Kept } from '../domain/kept/kept.ts';
import type { CheckPurpose, RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import type { LiveOrchestrator } from '../domain/orchestrator/orchestrator.ts';
import type { Check } from '../domain/plan/plan.ts';
import type { RepositoryState } from '../domain/repository/repository.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Attempt } from '../domain/run/task.ts';
import type { MergerRequest } from '../ports/merger.ts';

/**
 * The next step of a run: a fact to record, or an effect to perform. Pure: the same ledger always leads to the same steps. `key`
 * names an effect, and the engine performs each key at most once at a time.
 */
export type Step =
  | { readonly kind: 'fact'; readonly events: readonly RunEvent[] }
  | { readonly kind: 'effect'; readonly key: string; readonly effect: Effect };

export type Effect =
  | {
      readonly do: 'ask-merger';
      readonly request: Exclude<MergerRequest, { do: 'merge' }>;
      readonly answers: number | null;
    }
  /** The merger verifies the chain again by itself; this proof keeps our own code from requesting too early. */
  | { readonly do: 'merge'; readonly wave: number; readonly round: number; readonly proof: Passed<'closure'> }
  /** Lasts until the attempt has ended. Safe to repeat after a restart: the attempt is adopted, never started twice. */
  | { readonly do: 'supervise'; readonly task: TaskId; readonly attempt: Attempt; readonly proof: Passed<'approval'> }
  | { readonly do: 'stop'; readonly attempt: Attempt }
  /** Lasts until the resident orchestrator has ended. Safe to repeat. Its failure is its end, and never that of the run. */
  | { readonly do: 'orchestrate'; readonly orchestrator: LiveOrchestrator }
  | { readonly do: 'stop-orchestrator'; readonly orchestrator: LiveOrchestrator }
  /** Sends the state of the run to the orchestrator. Safe to repeat. */
  | { readonly do: 'tell-orchestrator'; readonly orchestrator: LiveOrchestrator; readonly view: string }
  /** Sends what people granted and raised since the attempt began. Safe to repeat. */
  | { readonly do: 'tell'; readonly task: TaskId; readonly attempt: Attempt; readonly terms: number }
  /** `number` is that of the request: the supervisor delivers each message once, however often this is repeated. */
  | {
      readonly do: 'send';
      readonly attempt: Attempt;
      readonly request: RequestEvent & { readonly type: 'requested-send' };
      readonly number: number;
    }
  /** Removes files that no snapshot holds. Safe to repeat. */
  | {
      readonly do: 'discard';
      readonly kept: readonly Kept[];
      readonly request: RequestEvent & { readonly type: 'requested-discard' };
      readonly number: number;
    }
  | {
      readonly do: 'check';
      readonly purpose: CheckPurpose;
      readonly commit: CommitId;
      readonly tree: TreeId;
      readonly check: Check;
    }
  /** Runs the commands of `generated` on the last commit of the candidate. */
  | { readonly do: 'generate'; readonly wave: number; readonly round: number; readonly commit: CommitId }
  | {
      readonly do: 'observe-run-branch';
      readonly wave: number;
      readonly round: number;
      readonly old: CommitId;
      readonly new: CommitId;
    }
  | { readonly do: 'observe-target' }
  /** Adds a dependency, one at a time in the repository: its id and the runs that wait for each other concern all runs. */
  | {
      readonly do: 'add-dependency';
      readonly request: RequestEvent & { readonly type: 'requested-dependency' };
      readonly number: number;
    }
  /** The key makes it safe to repeat: the other side returns the thread that it made before a crash. */
  | { readonly do: 'bind-thread'; readonly wave: number; readonly key: string };

/** A pause of a provider that another run caused. */
export type PauseElsewhere = Omit<RunEvent & { readonly type: 'provider-paused' }, 'type' | 'of'> & {
  readonly of: RunId;
};

/** Time, chance and the state of the disk, as arguments, so that replay can pass the same. */
export type StepInputs = {
  readonly now: string;
  readonly nonce: () => string;
  /** Set when there is no room for another attempt. Absent where no attempt is started. */
  readonly shortage?: Shortage | null;
  /** The run whose move of the branch comes before this run's; null when it is its turn. Absent where nothing moves. */
  readonly ahead?: (state: RunState) => RunId | null;
  /** Returns how many attempts this run may start, of the places of the repository. Absent when there is no limit. */
  readonly places?: (state: RunState) => number;
  /** Providers that other runs have paused. Absent where nobody knows. */
  readonly pausedElsewhere?: (state: RunState) => readonly PauseElsewhere[];
  /** The other runs, for dependencies. Absent where nobody knows them. */
  readonly linked?: (state: RunState) => LinkedRuns;
  /** The repository, for the records of its board. Absent where nobody knows it. */
  readonly repository?: () => Pick<RepositoryState, 'board'>;
};

/** Tells whether no other run moves the branch before this one. */
export const isItsTurn = (state: RunState, { ahead }: StepInputs): boolean => (ahead?.(state) ?? null) === null;

export const fact = (...events: RunEvent[]): Step => ({ kind: 'fact', events });
export const effect = (key: string, what: Effect): Step => ({ kind: 'effect', key, effect: what });

export const messageSent = (
  attempt: AttemptId,
  { task, message, by }: RequestEvent & { readonly type: 'requested-send' },
): RunEvent => ({ type: 'message-sent', task, attempt, message, by });

export const contextOf = (state: RunState): JudgeContext => ({
  plan: state.plan,
  hash: state.hash,
  granted: grantedIn(state),
  ...(state.derived === undefined ? {} : { derived: Object.values(state.derived).map(({ planned }) => planned) }),
});

export const grantedIn = (state: RunState): JudgeContext['granted'] =>
  Object.values(state.tasks)
    .filter((task) => task.granted.length > 0)
    .map((task) => ({ task: task.id, paths: task.granted }));
