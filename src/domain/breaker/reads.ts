import { fingerprint } from '../base/fingerprint.ts';
import type { SeenCall, Settled } from '../tool-calls/seen-call.ts';
import type { Trip } from './trip.ts';

/**
 * Reads since the last edit, the newest last. An edit of any file shows that the agent gets on, and what it read long ago
 * it may have to look up again: both forget.
 */
export type Reads = readonly Read[];

type Read = { readonly path: string; readonly from: number; readonly to: number; readonly text: string };

const remembered = 32;

/**
 * The third of three reads of one path that all overlap. Two overlap when more than half of the longer is in both: going through
 * a file page by page, twice even, with some lines of each page repeated on the next, does not count, nor does a closer look.
 */
export function countRead(reads: Reads, settled: Settled): { readonly reads: Reads; readonly trip: Trip | null } {
  const { call } = settled;
  const path = call.paths[0];
  if (call.kind !== 'read' || settled.outcome !== 'ok' || path === undefined || call.waits)
    return { reads, trip: null };
  const read = { path, ...call.lines, text: fingerprint(settled.text) };
  const known = reads.some((other) => hasChanged(other, read)) ? reads.filter((other) => other.path !== path) : reads;
  const pair = overlappingPair(known.filter((other) => overlap(other, read)));
  const kept = [...known.slice(1 - remembered), read];
  return { reads: kept, trip: pair && spiral(call, [...pair, read]) };
}

const spiral = (call: SeenCall, overlapping: Reads): Trip => ({
  pattern: 'pagination-spiral',
  file: call.file,
  occurrences: overlapping.length,
  class: null,
  reads: overlapping.map(({ from, to }) => ({ from, to })),
  words: [call.shown],
});

function overlappingPair(reads: Reads): Reads | null {
  for (const [index, a] of reads.entries()) {
    const b = reads.slice(index + 1).find((other) => overlap(a, other));
    if (b) return [a, b];
  }
  return null;
}

function overlap(a: Read, b: Read): boolean {
  const common = Math.min(a.to, b.to) - Math.max(a.from, b.from) + 1;
  return a.path === b.path && common * 2 > Math.max(a.to - a.from, b.to - b.from) + 1;
}

/** The same lines, another text: someone else writes the file, and to look again is right. */
const hasChanged = (before: Read, now: Read): boolean =>
  before.path === now.path && before.from === now.from && before.to === now.to && before.text !== now.text;
