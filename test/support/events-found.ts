import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';

/** The member of the union with this type, also where several types share one. */
type Of<T extends LedgerEvent['type'], E = LedgerEvent> = E extends LedgerEvent
  ? T extends E['type']
    ? E & { readonly type: T }
    : never
  : never;
export type Found<T extends LedgerEvent['type']> = { readonly seq: number; readonly event: Of<T> };

/** Every event of one type, in order. */
export function all<T extends LedgerEvent['type']>(history: readonly Stored[], type: T): readonly Found<T>[] {
  return history.flatMap(({ seq, event }) => (event.type === type ? [{ seq, event: event as Of<T> }] : []));
}
