import type { CommitId } from '../base/ids.ts';
import { plannedIn } from '../derived/derived-tasks.ts';
import type { Finding } from '../findings/finding.ts';
import { passes, type Verdict } from '../gates/verdict.ts';
import { decisionVersions } from '../gates/versions.ts';
import type { RunEvent } from '../ledger/events.ts';
import { policy } from '../settings/policy.ts';
import { aftermathOf, recoveryFrom } from './recovery.ts';
import type { RunState } from './run.ts';
import type { AttemptOutcome, EndedAttempt, ProviderTrouble, TaskState } from './task.ts';

/** The decision about a task whose attempt has ended and was judged. */
export type Settlement =
  | { readonly becomes: 'ready' | 'done' | 'held' | 'failed' }
  | {
      readonly becomes: 'waiting';
      readonly from: CommitId | 'base';
      /** True when the next attempt continues the agent's own session. */
      readonly session: boolean;
      readonly halt: Finding | null;
      readonly trouble: ProviderTrouble | null;
      readonly after: AttemptOutcome;
    };

/** All that decides it beside the attempt itself; recorded with the decision. */
export type SettleLimits = {
  readonly attempts: number;
  /** Agents that may get the task, one after the other. */
  readonly chain: readonly string[];
  readonly freeLaunches: number;
  readonly waitedLaunches: number;
  readonly spirals: number;
};

/** A derived task gets one attempt, and whatever else it needs is for a person. */
export const settleLimits = (state: Pick<RunState, 'plan' | 'derived'>, task: TaskState): SettleLimits => ({
  attempts: state.derived?.[task.id] === undefined ? state.plan.limits.attempts : 1,
  chain: plannedIn(state, task.id)?.agent ?? [],
  freeLaunches: policy.freeLaunches,
  waitedLaunches: policy.waitedLaunches,
  spirals: policy.spirals,
});

type Settled = RunEvent & { readonly type: 'attempt-settled' };
type Counts = Pick<Settled, 'charged' | 'free' | 'spirals' | 'turn' | 'decision'>;

/** Null unless its last attempt has ended and its gates have judged it. */
export function settleAttempt(task: TaskState, limits: SettleLimits): Settled | null {
  if (task.progress.status !== 'ended' || task.progress.attempt.monitored === null) return null;
  const counts = settle(task, task.progress.attempt, task.progress.attempt.monitored, limits);
  const { id: attempt } = task.progress.attempt;
  return { type: 'attempt-settled', task: task.id, attempt, version: decisionVersions.settlement, ...counts, limits };
}

function settle(task: TaskState, attempt: EndedAttempt, verdicts: readonly Verdict[], limits: SettleLimits): Counts {
  const { charged, free, spirals, turn, progress } = task;
  const same = { charged, free, spirals, turn };
  const snapshot = progress.status === 'ended' ? progress.snapshot : null;
  const { ending, handoff, report: agent } = attempt;
  // work of an attempt whose fence or workspace was not proven counts for nothing, however well it looks
  const dispatched = passes(attempt.dispatched ?? []);
  if (dispatched && passes(verdicts) && snapshot !== null)
    return { ...same, free: 0, decision: { becomes: task.readOnly || snapshot.diff.length === 0 ? 'done' : 'ready' } };

  const agentFinished =
    dispatched &&
    ending.reason === 'exited' &&
    ending.code === 0 &&
    handoff.kind === 'given' &&
    handoff.handoff.status === 'done' &&
    !isUnreported(verdicts);
  // once a person has taken work of this attempt, the task starts again only when they say so
  const isTaken = dispatched && attempt.acceptance !== undefined;
  const sentBack = !isTaken && isOnlyTheDraft(verdicts) && charged + 1 < limits.attempts;
  if ((agentFinished || isTaken) && snapshot !== null && !sentBack) return { ...same, decision: { becomes: 'held' } };

  const evidence = { ending, ...(agent === undefined ? {} : { agent }) };
  const { cost, start, trouble, blames } = recoveryFrom(evidence);
  const again = {
    becomes: 'waiting',
    from: start === 'clean' ? 'base' : (snapshot?.commit ?? attempt.from),
    session: start === 'session',
    halt: null,
    trouble: trouble === null ? null : { provider: attempt.provider, trouble },
    after: aftermathOf(evidence),
  } as const;
  const place = limits.chain.indexOf(turn);
  const other = task.chosen === null ? limits.chain[place + 1] : undefined;
  // a person has to log in; another agent of the chain need not wait for that
  const passedOver = ending.reason === 'launch-failed' || (trouble?.kind === 'needs-login' && other !== undefined);
  if (cost !== 'charged' && !passedOver && free < (cost === 'waited-for' ? limits.waitedLaunches : limits.freeLaunches))
    return { ...same, free: free + 1, decision: again };
  if (blames === 'agent' && other !== undefined)
    return { ...same, turn: other, free: 0, decision: { ...again, session: false, trouble: null } };
  // with trouble it waits for its provider, as everybody does
  if (ending.reason === 'launch-failed') {
    const before = limits.chain.slice(0, Math.max(0, place));
    const halt: Finding = { rule: 'launch-failed', because: ending.because ?? null, before };
    return { ...same, decision: { ...again, halt: trouble === null ? halt : null } };
  }
  if (ending.reason === 'setup-failed') return { ...same, decision: { becomes: 'failed' } };
  const counted = { charged: charged + 1, spirals: spirals + (ending.reason === 'spiral' ? 1 : 0), turn };
  return counted.charged < limits.attempts && counted.spirals < limits.spirals
    ? { ...counted, free: 0, decision: again }
    : { ...counted, free, decision: { becomes: 'failed' } };
}

/** A closure role without a report has not finished, whatever else it handed off. */
const isUnreported = (verdicts: readonly Verdict[]): boolean =>
  verdicts.some(({ gate, outcome }) => gate === 'report' && outcome !== 'pass');

/** The author of a draft that cannot be run is sent its mistakes; a person need not pass them on. */
const isOnlyTheDraft = (verdicts: readonly Verdict[]): boolean =>
  verdicts.every(({ gate, outcome }) => (gate === 'plan' ? outcome === 'fail' : outcome === 'pass'));
