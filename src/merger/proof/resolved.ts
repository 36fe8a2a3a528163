import { isDeepStrictEqual } from 'node:util';
import type { TreeId } from '../../domain/base/ids.ts';
import type { Stored } from '../../ports/ledger.ts';
import { byHand, eventsOf, type History, planInForce } from './history.ts';

/** `since`: where the plan in force begins; a resolution before it counts only for what was merged. */
type At = { readonly position: number; readonly event: { readonly wave: number }; readonly since?: number };

/** A person's own resolution of a barrier, and their request. Null when nobody resolved it for this tree. A tree of null: for any. */
export function proveResolved(
  history: History,
  { position, event, since = planInForce(history).since }: At,
  barrier: string,
  tree: TreeId | null,
): readonly Pick<Stored, 'position' | 'hash'>[] | null {
  const resolved = eventsOf(history, 'barrier-resolved').findLast(
    (one) =>
      one.position > since &&
      one.position < position &&
      one.event.wave === event.wave &&
      one.event.barrier === barrier &&
      (tree === null || one.event.tree === tree),
  );
  if (resolved === undefined || !byHand.has(resolved.event.by.via)) return null;
  const request = history.find(
    (one) =>
      one.position < resolved.position &&
      one.event.type === 'requested-resolve' &&
      one.event.barrier === barrier &&
      isDeepStrictEqual(one.event.by, resolved.event.by),
  );
  return request === undefined ? null : [request, resolved];
}
