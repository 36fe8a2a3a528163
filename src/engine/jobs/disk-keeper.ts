import type { TaskId } from '../../domain/base/ids.ts';
import { few } from '../../domain/explain/text.ts';
import { discardCommand } from '../../domain/kept/discard.ts';
import {
  type DiskLimits,
  type Holding,
  type LargestKept,
  type Shortage,
  shortageOf,
  toRemove,
  totalOf,
} from '../../domain/kept/disk.ts';
import { openUndo } from '../../domain/landing/landing-queue.ts';
import { orchestratorId } from '../../domain/orchestrator/orchestrator.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { bundlesOf } from '../../domain/proofs/bundle.ts';
import type { RunState } from '../../domain/run/run.ts';
import { attemptOf } from '../../domain/run/task.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Disk } from '../../ports/disk.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { RunLog } from '../run-log.ts';

type DiskKeeper = {
  /** Returns why no attempt may start; null when one may. */
  shortage(): Shortage | null;
  /** Measures again in the background, and removes what must go. One measurement at a time. */
  look(): void;
  stop(): void;
};

/**
 * Enforces the disk limits. Attempts wait only for the first measurement, and only where files are kept that a person must remove.
 * An attempt that starts during a measurement is counted by the next one, so the cap may be exceeded by running attempts. While
 * room is short it measures again by itself.
 */
export function keepDisk(options: {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly runs: () => readonly (RunState | null)[];
  readonly changed: () => void;
  readonly failed: (cause: unknown) => void;
}): DiskKeeper {
  const { disk, clock } = options;
  const stopped = new AbortController();
  let known: Measured | null = null;
  let isMeasured = false;
  let unmeasured: Shortage | null = null;
  /** A shortage was reported, so its end must be reported too. */
  let isReported = false;
  let isLooking = false;
  let isDue = false;
  let isWaiting = false;

  const holdsKept = (): boolean => options.runs().some((state) => state !== null && state.kept.length > 0);
  const shortage = (): Shortage | null => {
    const found =
      unmeasured ??
      (!isMeasured && holdsKept() ? ({ because: { rule: 'disk-measuring' } } as const) : null) ??
      (known === null ? null : shortageOf({ ...known, free: disk.free(), memory: disk.memory() }, known.limits));
    if (found !== null) {
      isReported = true;
      void lookLater();
    }
    return found;
  };

  const measure = async (): Promise<void> => {
    const limits = await disk.limits();
    known = { limits, used: known?.used ?? 0, largest: known?.largest ?? null };
    const runs = options.runs();
    const holdings = await disk.holdings(stopped.signal);
    const leaving = toRemove(holdings, disk.free(), limits, ({ id, over }) => !over || keepingOf(id, runs).keep);
    for (const holding of leaving) await disk.remove(holding);
    const used = totalOf(holdings) - totalOf(leaving);
    const isShort = used > limits.cap || disk.free() < limits.free;
    known = { limits, used, largest: isShort ? await largestKept(disk, runs, holdings) : null };
    unmeasured = null;
    isMeasured = true;
  };

  const measureUntilDone = async (): Promise<void> => {
    isLooking = true;
    while (isDue && !stopped.signal.aborted) {
      isDue = false;
      await measure().catch((cause: unknown) => {
        if (stopped.signal.aborted) return;
        if (!isEnvironmental(cause)) throw cause;
        unmeasured = { because: { rule: 'disk-unmeasured', because: failureOf(cause) } };
      });
      const before = isReported;
      isReported = false;
      if (shortage() !== null || before) options.changed();
    }
    isLooking = false;
  };
  const look = (): void => {
    isDue = true;
    if (!isLooking) measureUntilDone().catch(options.failed);
  };
  const lookLater = async (): Promise<void> => {
    if (isWaiting) return;
    isWaiting = true;
    await clock.sleep(patienceMs, stopped.signal);
    isWaiting = false;
    if (!stopped.signal.aborted) look();
  };

  return { shortage, look, stop: () => stopped.abort() };
}

type Measured = { readonly limits: DiskLimits; readonly used: number; readonly largest: LargestKept | null };

async function largestKept(
  disk: Disk,
  runs: readonly (RunState | null)[],
  holdings: readonly Holding[],
): Promise<LargestKept | null> {
  const there = new Set(holdings.map(({ id }) => id));
  let largest: LargestKept | null = null;
  for (const state of runs.filter((one) => one !== null))
    for (const { attempt, task, path } of state.kept) {
      if (!there.has(attempt)) continue;
      const bytes = await disk.sizeOf(attempt, path);
      if (bytes > (largest?.bytes ?? 0)) largest = { run: state.run, task, path, bytes };
    }
  return largest;
}

const patienceMs = 5_000;

/** Says why the workspace of a job is kept; `removable` only when its work is landed or was discarded by name. */
type Keeping = { readonly keep: true; readonly why: string } | { readonly keep: false; readonly why: string };

/**
 * Jobs are named `<run>.<task>.<number>` for attempts, `<run>.check.<tree>.<check>.<number>` for checks and
 * `<run>.generate.<wave>.<round>.<number>` for generated files. A workspace of a job that the ledger does not know is kept: it is
 * not ours to remove.
 */
export function keepingOf(job: string, runs: readonly (RunState | null)[]): Keeping {
  const keeping = keepingOfWork(job, runs);
  const kept = runs.flatMap((state) => (state === null ? [] : keptOf(state, job)));
  return keeping.keep || kept.length === 0 ? keeping : { keep: true, why: `no snapshot holds ${few(kept, 1)}` };
}

/** Each path that no snapshot holds, with the command that removes it. */
const keptOf = (state: RunState, job: string): readonly string[] =>
  state.kept
    .filter(({ attempt }) => attempt === job)
    .map((kept) => `${kept.path}; to discard it: ${discardCommand(state.run, kept)}`);

function keepingOfWork(job: string, runs: readonly (RunState | null)[]): Keeping {
  const [run = '', task = '', ...rest] = job.split('.');
  const state = runs.find((known) => known?.run === run);
  if (state === undefined || state === null) return { keep: true, why: 'no run that is known here' };
  if ((task === 'check' || task === 'generate') && rest.length === 3)
    return state.ended === null || openUndo(state) !== null
      ? { keep: true, why: state.ended === null ? 'the run is open' : 'its undo is under way' }
      : { keep: false, why: `${task === 'check' ? 'a check' : 'generated files'} of a run that has ended` };
  if (task === orchestratorId && state.plan.orchestrator !== undefined)
    return state.orchestrator?.live?.id === job
      ? { keep: true, why: 'it is running' }
      : { keep: false, why: 'an orchestrator that has ended' };
  const known = Object.values(state.tasks).find(({ id }) => id === task);
  if (known === undefined) return { keep: true, why: `no task of ${run}` };
  // its report is in the ledger, and what it changed is merged or of no use
  const isRole = plannedById(state.plan, known.id)?.closes !== undefined;
  if (isRole && state.ended !== null) return { keep: false, why: 'a closure role of a run that has ended' };
  switch (known.progress.status) {
    case 'dropped':
      return { keep: false, why: `dropped by ${known.progress.by.who}` };
    case 'merged':
      return hasLanded(state, known.id)
        ? { keep: false, why: 'landed' }
        : { keep: true, why: whyNotLanded(state, known.id) };
    case 'done':
      return state.ended === null
        ? { keep: true, why: 'the run is open' }
        : { keep: false, why: 'changed nothing, and the run has ended' };
    case 'launching':
    case 'running':
      return attemptOf(known)?.id === job
        ? { keep: true, why: 'its agent is running' }
        : { keep: true, why: 'an earlier attempt of an open task' };
    default:
      return isRole
        ? { keep: true, why: 'the run is open' }
        : { keep: true, why: `${known.progress.status}, not landed; to discard it: ${dropCommand(state, known.id)}` };
  }
}

/** Proofs that people gave go with the last work that they are about. */
export function keepingOfProofs(run: string, runs: readonly (RunState | null)[]): Keeping {
  const state = runs.find((known) => known?.run === run);
  if (state === undefined || state === null) return { keep: true, why: 'no run that is known here' };
  if (state.ended === null) return { keep: true, why: 'the run is open' };
  const tasks = new Set(bundlesOf(state).map(({ task }) => task));
  for (const task of tasks) {
    const keeping = keepingOfWork(`${run}.${task}.1`, [state]);
    if (keeping.keep) return { keep: true, why: `${task}: ${keeping.why}` };
  }
  return { keep: false, why: 'all work is landed or dropped' };
}

/**
 * LFS objects of snapshots are kept for all runs together. An object that landed is in the person's own store by then; any other
 * may be the only copy of somebody's work.
 */
export function keepingOfLfs(runs: readonly (RunState | null)[]): Keeping {
  const hasWork = (state: RunState): boolean =>
    Object.values(state.tasks).some(
      ({ id, launches }) => launches > 0 && keepingOf(`${state.run}.${id}.1`, [state]).keep,
    );
  const open = runs.find((state) => state !== null && (state.ended === null || hasWork(state)));
  return open
    ? { keep: true, why: `${open.run} has work that is neither landed nor dropped` }
    : { keep: false, why: 'all work is landed or dropped' };
}

function whyNotLanded(state: RunState, task: TaskId): string {
  const { run, landing, target, ended } = state;
  const drop = dropCommand(state, task);
  if (landing.status === 'offered') return `its pull request is not in ${target.branch} yet; to discard it: ${drop}`;
  const why = landing.status === 'undone' ? 'its landing was undone' : 'merged, not landed yet';
  if (ended === null) return why;
  return ended === 'done'
    ? `${why}; to land or discard it: tidegate land ${run}, or ${drop}`
    : `${why}; to discard it: ${drop}`;
}

const dropCommand = ({ run }: RunState, task: TaskId): string => `tidegate drop ${run}/${task}`;

const hasLanded = ({ landing, undo, ended }: RunState, task: TaskId): boolean =>
  ended !== null && landing.status !== 'undoing' && undo.landed.includes(task);

/** Removes the files before it records that: until then, people see their names. A failure is the answer to the request. */
export async function discardKept(
  disk: Pick<Disk, 'discard'>,
  log: RunLog,
  { kept, request, number }: Effect & { readonly do: 'discard' },
): Promise<void> {
  const { task, by } = request;
  try {
    for (const { attempt, path } of kept) await disk.discard(attempt, path);
  } catch (cause) {
    if (!isEnvironmental(cause)) throw cause;
    await log.record((state) =>
      isOpen(state, number) ? [{ type: 'request-refused', request: number, because: failureOf(cause) }] : null,
    );
    return;
  }
  await log.record((state) =>
    isOpen(state, number)
      ? [
          { type: 'kept-discarded', task, kept: kept.map(({ attempt, path }) => ({ attempt, path })), by },
          { type: 'request-accepted', request: number },
        ]
      : null,
  );
}

const isOpen = (state: RunState | null, request: number): boolean =>
  state?.pending.some(({ seq }) => seq === request) === true;
