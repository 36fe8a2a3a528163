import { lstatSync, readFileSync } from 'node:fs';
import { git } from '../process/index.ts';
import { cutFile } from './link-store.ts';

/** From so many objects on a history is cut, after so many commits. */
export type HistoryLimits = { readonly objects: number; readonly commits: number };

/** Where the history of an object directory ends although it goes on; nowhere when it is whole. */
export const readCut = (objects: string): readonly string[] =>
  readFileSync(`${objects}/${cutFile}`, 'latin1')
    .split('\n')
    .filter((line) => line !== '');

/** False for a store that is gone by now. */
export const isCut = (store: string): boolean =>
  (lstatSync(`${store}/${cutFile}`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Where to cut so that the newest commits stay. None when there are no more than that. */
export async function whereToCut(
  gitDir: string,
  tips: readonly string[],
  { commits }: HistoryLimits,
): Promise<readonly string[]> {
  const listed = await git({ gitDir, args: ['rev-list', '--parents', `--max-count=${commits}`, ...tips] });
  const rows = listed
    .toString('latin1')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  const kept = new Set(rows.map(([commit]) => commit));
  const edges = rows.flatMap(([commit = '', ...parents]) => (parents.every((one) => kept.has(one)) ? [] : [commit]));
  // A tip that is older than all the rest is there too, alone.
  return [...edges, ...tips.filter((tip) => !kept.has(tip))];
}

/** As git counts them: what is packed twice counts twice. */
export async function countObjects(gitDir: string): Promise<number> {
  const counted = (await git({ gitDir, args: ['count-objects', '-v'] })).toString('latin1');
  return [...counted.matchAll(/^(?:count|in-pack): (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}
