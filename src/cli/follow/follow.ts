import type { RunId } from '../../domain/base/ids.ts';
import type { Barrier } from '../../domain/closure/barriers.ts';
import { failedRunAdvice } from '../../domain/explain/ending.ts';
import { barriersOf, type Need, needsOf } from '../../domain/explain/needs.ts';
import { openUndo } from '../../domain/landing/landing-queue.ts';
import { pullRequestCommand } from '../../domain/landing/pull-request.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { evolveRun, plannedStates, type RunState } from '../../domain/run/run.ts';
import { followStream } from '../../engine/follow-ledger.ts';
import { currentRun } from '../../engine/orders/current-run.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { runDocument } from '../../view/document.ts';
import { landingNoteLines } from '../../view/role-text.ts';
import { adviceLines, type RunView, runView, standingLines } from '../../view/run-view.ts';
import { evolveTimes, noTimes } from '../../view/task-view.ts';
import { type Context, type ExitCode, exitCodes, type Outcome } from '../frame/command.ts';

export interface Following extends AsyncDisposable {
  /** Null until a coordinator has started the run. */
  view(): Promise<RunView | null>;
  /** Resolves at the next event of the run; at once when one came since the last call. */
  changed(): Promise<void>;
}

/** Keeps the fold of one run up to date from the ledger, whoever coordinates it. */
export async function followRun(
  repo: RepositoryHandle,
  run: RunId,
  onEvent: (stored: Stored, isNew: boolean) => void = () => {},
): Promise<Following> {
  let state: RunState | null = null;
  let times = noTimes;
  let woken = Promise.withResolvers<void>();
  let isNew = false;
  const take = (stored: Stored): void => {
    state = evolveRun(state, stored);
    times = evolveTimes(times, stored);
    onEvent(stored, isNew);
    woken.resolve();
  };
  const follower = followStream(repo.ledger, run, take);
  await follower.catchUp();
  isNew = true;
  const subscription = follower.listen();
  return {
    view: async () => {
      const now = repo.clock.now();
      const current = await currentRun({ state, times }, { now, git: repo.git });
      return current.state === null ? null : { state: current.state, times: current.times, now };
    },
    changed: async () => {
      await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

export type TapFlags = {
  readonly yes: boolean;
  readonly land: boolean;
  /** The tasks themselves were typed: at a terminal that approves their start, but no later wave. */
  readonly typed?: boolean;
};

/** Returns the tap that waits for a decision. Null when none does; a tap on hold does not. */
export function openTap({ state }: RunView): TapName | null {
  const names = Object.keys(state.taps) as TapName[];
  return names.find((name) => state.taps[name]?.status === 'pending') ?? null;
}

/** The start of the run was approved. */
export const isApproved = ({ state }: RunView): boolean =>
  Object.entries(state.taps).some(([name, tap]) => name !== 'land' && tap?.status === 'approved');

/** A flag approves the tap. `--land` approves once: a person must look at a refused landing. */
export const isApprovedByFlag = (tap: TapName, { state }: RunView, flags: TapFlags): boolean =>
  tap === 'land' ? flags.land && state.landing.status !== 'refused' : flags.yes;

/** Wakes a drawing, so that its clocks advance. */
export function ticker(ms: number): Disposable & { next(): Promise<void> } {
  let woken = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    woken.resolve();
    woken = Promise.withResolvers();
  }, ms);
  return { next: () => woken.promise, [Symbol.dispose]: () => clearInterval(timer) };
}

/** For a race in which one side does not exist. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** Returns the outcome of a command that followed a run until it came to rest. */
export function settledOutcome(view: RunView, context: Pick<Context, 'json' | 'terminal'>): Outcome {
  const { exit, reason } = exitOf(view.state);
  // a pipe has every event already; on a terminal the drawn block is gone
  const lines = context.terminal.interactive ? runView(view) : standingLines(view);
  return {
    exit,
    reason,
    lines: [...unseenConcerns(view.state), ...lines, ...failureLines(view.state)],
    data: runDocument(view),
    // people see them in the lines, with their age
    needs: context.json ? [...needsOf(view.state), ...requestNeeds(view.state)] : [],
  };
}

/** The concerns of security, when the work landed without a question that showed them. */
function unseenConcerns(state: RunState): readonly Text[] {
  const { status } = state.landing;
  const tap = state.taps.land;
  const isSeen = tap !== undefined && 'by' in tap && tap.by.via !== 'land-flag';
  return isSeen || (status !== 'landed' && status !== 'offered') ? [] : landingNoteLines(state);
}

function exitOf(state: RunState): { readonly exit: ExitCode; readonly reason: string } {
  const isUndoStuck = state.mode.mode === 'halted' && openUndo(state) !== null;
  if (state.ended === null && isOnlyQaOpen(state)) return { exit: exitCodes.qaOpen, reason: 'qa' };
  if (state.ended === null || isUndoStuck)
    return { exit: exitCodes.personNeeded, reason: needsOf(state)[0]?.kind ?? 'person-needed' };
  // the landing was requested after the end, and refused
  if (state.ended === 'done' && state.landing.status === 'refused')
    return { exit: exitCodes.personNeeded, reason: 'landing' };
  if (['failed', 'rejected', 'abandoned'].includes(state.ended)) return { exit: exitCodes.failed, reason: state.ended };
  if (state.landing.status === 'offered' && state.landing.url === null)
    return { exit: exitCodes.personNeeded, reason: 'pull-request' };
  const partial = plannedStates(state).some(({ progress }) => progress.status === 'dropped');
  return partial ? { exit: exitCodes.partial, reason: 'partial' } : { exit: exitCodes.done, reason: state.ended };
}

/** QA has reported, its word does not let the wave close, and nothing else is open. */
function isOnlyQaOpen(state: RunState): boolean {
  const barriers = barriersOf(state);
  const isOfQa = ({ because }: Barrier): boolean => because.rule === 'role-report' && because.role === 'qa';
  return barriers.length > 0 && barriers.every(isOfQa) && needsOf(state).every(({ kind }) => kind === 'barrier');
}

/** A pull request that nobody opened. Not in the inbox, because only the person knows when it is open. */
function requestNeeds({ landing, target }: RunState): readonly Need[] {
  if (landing.status !== 'offered' || landing.url !== null) return [];
  const command = pullRequestCommand(landing, target.branch);
  const message = `${landing.branch} is pushed to ${landing.pushed.remote}; its pull request is not open yet`;
  return [{ kind: 'landing', task: null, message, safe: `${target.branch} is unchanged`, command }];
}

function failureLines(state: RunState): readonly Text[] {
  if (state.ended !== 'failed') return [];
  const { message, ...advice } = failedRunAdvice(state);
  return [`  ${message}`, ...adviceLines(advice)];
}
