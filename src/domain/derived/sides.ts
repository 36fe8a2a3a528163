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
 * Returns the hunks of both sides that the result lacks. A hunk is there when the result has each line that it added, as often as that
 * side does, less the copies that the other side removed. A hunk that only removes lines is there when the result has none of them
 * more often than that side does, and the copies that the other side added. Blank lines do not count.
 */
export function goneHunks(path: string, files: SidesOfFile, hunks: readonly SideHunk[]): readonly GoneHunk[] {
  const counts = {
    base: countLines(files.base),
    ours: countLines(files.ours),
    theirs: countLines(files.theirs),
    result: countLines(files.result),
  };
  const isGone = ({ side, added, removed }: SideHunk): boolean => {
    const own = counts[side];
    const other = counts[side === 'ours' ? 'theirs' : 'ours'];
    const since = (line: string): number => countOf(other, line) - countOf(counts.base, line);
    const isLost = (line: string): boolean =>
      countOf(counts.result, line) < Math.max(1, countOf(own, line) + Math.min(0, since(line)));
    const isBack = (line: string): boolean =>
      countOf(counts.result, line) > countOf(own, line) + Math.max(0, since(line));
    return added.some(hasText) ? added.filter(hasText).some(isLost) : removed.filter(hasText).some(isBack);
  };
  return hunks.filter(isGone).map(({ side, from, to }) => ({ path, side, from, to }));
}

/** Tells whether a file has lines of a conflict that neither side has. */
export function hasMarkers({ ours, theirs, result }: SidesOfFile): boolean {
  const [inOurs, inTheirs] = [countLines(ours), countLines(theirs)];
  return [...countLines(result)].some(
    ([line, count]) => markerLine.test(line) && count > Math.max(countOf(inOurs, line), countOf(inTheirs, line)),
  );
}

const markerLine = /^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/;

/** Returns the hunks that no entry of a handoff names. An entry names a path or some of its lines, and gives a reason. */
export const unnamedHunks = (gone: readonly GoneHunk[], dropped: readonly string[]): readonly GoneHunk[] =>
  gone.filter((hunk) => !dropped.some((entry) => isNamedBy(entry, hunk)));

function isNamedBy(entry: string, { path, from, to }: GoneHunk): boolean {
  if (!entry.startsWith(path)) return false;
  const named = /^(?::(\d+)(?:-(\d+))?)?\s+\S/.exec(entry.slice(path.length));
  if (named === null) return false;
  const [, first, last = first] = named;
  return first === undefined || (Number(first) <= from && to <= Number(last));
}

function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

const countOf = (counts: ReadonlyMap<string, number>, line: string): number => counts.get(line) ?? 0;
const hasText = (line: string): boolean => line.trim() !== '';
