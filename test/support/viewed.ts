import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { RunState } from '../../src/domain/run/run.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { RunView } from '../../src/view/run-view.ts';
import { timesOf } from '../../src/view/task-view.ts';
import { foldDecided } from './decided.ts';
import { run } from './run-events.ts';

/** As a ledger would hold them, one event per second from noon on. */
export const storedFrom = (events: readonly RunEvent[]): readonly Stored[] =>
  events.map((event, at) => ({
    seq: at + 1,
    stream: run,
    position: at + 1,
    epoch: 1,
    at: new Date(Date.UTC(2026, 0, 1, 12, 0, at)).toISOString(),
    event,
    hash: '',
  }));

/** Looked at 65 s after the last. */
export function viewed(...events: RunEvent[]): RunView {
  const stored = storedFrom(events);
  const now = new Date(Date.UTC(2026, 0, 1, 12, 0, events.length - 1 + 65)).toISOString();
  return { state: foldDecided(stored) as RunState, times: timesOf(stored), now };
}
