import type { GoneHunk } from '../ledger/derived-task-events.ts';

/** The lines of one file on all sides; an absent file has none. */
export type SidesOfFile = {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  readonly result: readonly string[];
};

/** One change of a side against the base. `from` and `to` are lines of that side's file. */
export type SideHunk = Omit<GoneHunk, 'path'> & {
  readonly added: readonly string[];
  readonly removed: readonly string[];
};

/**
 * The version of the comparison. A comparison with the rules of another version is not expected to be equal: its snapshot is compared
 * again. Raised whenever `goneHunks`, `goneModes` or `hasMarkers` changes.
 */
export const sidesRules = 2;

/**
 * Returns the hunks of both sides that the result lacks. A hunk is there when two things hold:
 *
 * - The result has the lines that it added, in their order. It has each of them as often as that side does. If the other side
 *   removed copies of the line, it may have that many fewer.
 * - No line that it removed is back. The result has each of them at most as often as that side does. If the other side added copies
 *   of the line, it may have that many more.
 *
 * Blank lines do not count.
 */
export function goneHunks(path: string, files: SidesOfFile, hunks: readonly SideHunk[]): readonly GoneHunk[] {
  const counts = {
    base: countLines(files.base),
    ours: countLines(files.ours),
    theirs: countLines(files.theirs),
    result: countLines(files.result),
  };
  return hunks.flatMap(({ side, from, to, added, removed }): readonly GoneHunk[] => {
    const own = counts[side];
    const other = counts[side === 'ours' ? 'theirs' : 'ours'];
    const since = (line: string): number => countOf(other, line) - countOf(counts.base, line);
    const isLost = (line: string): boolean =>
      countOf(counts.result, line) < Math.max(1, countOf(own, line) + Math.min(0, since(line)));
    const isBack = (line: string): boolean =>
      countOf(counts.result, line) > countOf(own, line) + Math.max(0, since(line));
    const kept = added.filter(hasText);
    if (kept.some(isLost) || !areInOrder(kept, files.result)) return [{ path, side, from, to }];
    return removed.filter(hasText).some(isBack) ? [{ path, side, from, to, back: true }] : [];
  });
}

/** Tells whether these lines follow each other, with or without others between them. */
function areInOrder(lines: readonly string[], within: readonly string[]): boolean {
  let next = 0;
  for (const line of within) if (line === lines[next]) next += 1;
  return next >= lines.length;
}

/** The modes of one file on all sides; undefined where it is absent. */
export type ModesOfFile = Readonly<Partial<Record<'base' | 'ours' | 'theirs' | 'result', string>>>;

/** Returns the modes that a side gave a file and the result lacks. A new file is expected to be an ordinary one. */
export const goneModes = (path: string, modes: ModesOfFile): readonly GoneHunk[] =>
  (['ours', 'theirs'] as const).flatMap((side) => {
    const mode = modes[side];
    const isGone = mode !== undefined && mode !== (modes.base ?? '100644') && mode !== modes.result;
    return isGone ? [{ path, side, from: 0, to: 0, mode }] : [];
  });

/** Tells whether a file has lines of a conflict that neither side has. */
export function hasMarkers({ ours, theirs, result }: SidesOfFile): boolean {
  const [inOurs, inTheirs] = [countLines(ours), countLines(theirs)];
  return [...countLines(result)].some(
    ([line, count]) => markerLine.test(line) && count > Math.max(countOf(inOurs, line), countOf(inTheirs, line)),
  );
}

const markerLine = /^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/;

/** Returns the hunks that no entry of a handoff names. */
export const unnamedHunks = (gone: readonly GoneHunk[], dropped: readonly string[]): readonly GoneHunk[] =>
  gone.filter((hunk) => reasonFor(hunk, dropped) === null);

/**
 * Returns why a handoff says that a hunk was left out; null when it does not name the hunk. An entry names lines of a path, its mode
 * (`path:mode reason`) or everything that was left out of that path, and gives a reason. The narrowest entry counts.
 */
export function reasonFor(hunk: GoneHunk, dropped: readonly string[]): string | null {
  const found = dropped.flatMap((entry) => namedBy(entry, hunk) ?? []);
  return (found.find(({ isWhole }) => !isWhole) ?? found[0])?.reason ?? null;
}

type Named = { readonly reason: string; readonly isWhole: boolean };

function namedBy(entry: string, { path, from, to, mode }: GoneHunk): Named | null {
  if (!entry.startsWith(path)) return null;
  const named = /^(?::(?:(mode)|(\d+)(?:-(\d+))?))?\s+(\S.*)$/s.exec(entry.slice(path.length));
  if (named === null) return null;
  const [, ofMode, first, last = first, reason = ''] = named;
  if (ofMode === undefined && first === undefined) return { reason, isWhole: true };
  const isThis =
    mode === undefined ? first !== undefined && Number(first) <= from && to <= Number(last) : ofMode !== undefined;
  return isThis ? { reason, isWhole: false } : null;
}

function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

const countOf = (counts: ReadonlyMap<string, number>, line: string): number => counts.get(line) ?? 0;
const hasText = (line: string): boolean => line.trim() !== '';
