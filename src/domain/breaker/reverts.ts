import { fingerprint } from '../base/fingerprint.ts';
import { callPlace, short } from '../tool-calls/seen-call.ts';
import { type Trip, tripCount } from './trip.ts';

/** Contents that files had, the file that changed last at the end. */
export type Histories = readonly History[];

type History = {
  readonly path: string;
  /** Different contents, the present one last. */
  readonly contents: readonly string[];
  readonly returns: number;
};

const remembered = { files: 64, contents: 8 };

/**
 * The third time that a file has a content again which it had before. New content is work, and so is a first draft that a formatter
 * rewrites. A file that was deleted is forgotten: what builds and tests make and remove comes back the same each time.
 */
export function countReturn(
  histories: Histories,
  seen: { readonly path: string; readonly digest: string | null },
  workspace: string,
): { readonly histories: Histories; readonly changed: boolean; readonly trip: Trip | null } {
  const place = callPlace(seen.path, workspace);
  const path = fingerprint(place);
  const before = histories.find((one) => one.path === path);
  const others = histories.filter((one) => one.path !== path);
  if (seen.digest === null) return { histories: others, changed: before !== undefined, trip: null };
  const content = fingerprint(seen.digest);
  if (before?.contents.at(-1) === content) return { histories, changed: false, trip: null };
  const known = before?.contents ?? [];
  const returns = (before?.returns ?? 0) + (known.includes(content) ? 1 : 0);
  const contents = [...known.filter((one) => one !== content).slice(1 - remembered.contents), content];
  const kept = [...others.slice(1 - remembered.files), { path, contents, returns }];
  if (returns < tripCount) return { histories: kept, changed: true, trip: null };
  return {
    histories: kept,
    changed: true,
    trip: { pattern: 'self-revert', file: short(place, 256), occurrences: returns, class: null, words: [] },
  };
}

/** Counting begins anew; what the files held stays known. */
export const withoutReturns = (histories: Histories): Histories =>
  histories.map((history) => (history.returns === 0 ? history : { ...history, returns: 0 }));
