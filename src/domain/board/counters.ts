import { openDependencies } from '../dependencies/blocks.ts';
import type { RunState } from '../run/run.ts';
import { isOpenRecord } from './acts.ts';
import { type BoardRecord, isOfAgent, recordsOf } from './board.ts';
import { nextTimer, overdueRecords } from './clocks.ts';
import type { RecordClock } from './kinds.ts';

/** The board of a run in numbers. All but `helpers` count what is open. */
export type BoardCounters = {
  readonly open: number;
  /** Records that are past a clock. */
  readonly overdue: number;
  /** The open record that has waited longest; null when none has a time. */
  readonly oldest: { readonly record: string; readonly since: string; readonly seconds: number } | null;
  /** Questions between tasks. */
  readonly clarifications: number;
  /** Requests to tasks. */
  readonly requests: number;
  readonly escalations: number;
  /** Times that a task was started again for records that waited for it. */
  readonly helpers: number;
  /** Dependencies on either end. */
  readonly dependencies: number;
  /** The next clock that runs out; null when none runs. */
  readonly next: { readonly record: string; readonly clock: RecordClock; readonly at: string } | null;
};

export function boardCounters(state: RunState, at: string): BoardCounters {
  const open = recordsOf(state).filter(isOpenRecord);
  const count = (matches: (record: BoardRecord) => boolean): number => open.filter(matches).length;
  const next = nextTimer(state, at);
  return {
    open: open.length,
    overdue: overdueRecords(state, at).length,
    oldest: oldestOf(open, at),
    clarifications: count((record) => record.kind === 'question' && isOfAgent(record.from) && isForTask(record)),
    requests: count((record) => record.kind === 'request' && isForTask(record)),
    escalations: count(({ kind }) => kind === 'human-escalation'),
    helpers: Object.values(state.helps ?? {}).reduce((sum, helps) => sum + helps, 0),
    dependencies: openDependencies(state).length,
    next: next === null ? null : { record: next.record.id, clock: next.clock, at: next.at },
  };
}

const isForTask = ({ target }: BoardRecord): boolean => target !== 'person' && target !== 'all';

/** By the order of the board, which is that of the ledger. */
function oldestOf(open: readonly BoardRecord[], now: string): BoardCounters['oldest'] {
  const oldest = open.find(({ at }) => at !== undefined);
  if (oldest?.at === undefined) return null;
  const seconds = Math.max(0, Math.floor((Date.parse(now) - Date.parse(oldest.at)) / 1000));
  return { record: oldest.id, since: oldest.at, seconds };
}
