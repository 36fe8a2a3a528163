import {
  type DiskLimits,
  type Holding,
  type LargestKept,
  type Shortage,
  shortageOf,
  toRemove,
  totalOf,
} from '../../domain/kept/disk.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Disk } from '../../ports/disk.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import { keepingOf } from './clean-up.ts';

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
  let asked = false;
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
    while (asked && !stopped.signal.aborted) {
      asked = false;
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
    asked = true;
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
