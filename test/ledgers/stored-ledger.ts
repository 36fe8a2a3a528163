import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sha256, storedOf } from '../../src/adapters/ledger/chain.ts';
import { type ChainLink, walkChain } from '../../src/domain/ledger/chain.ts';
import type { Stored } from '../../src/ports/ledger.ts';

/** Ledgers that were recorded once and are kept, record by record as they are stored. `npm run ledgers` records them. */
const folder = new URL('./', import.meta.url);
export const files = {
  golden: new URL('golden.jsonl', folder),
  recorded: new URL('recorded.jsonl.gz', folder),
  /** A golden ledger from before waves had closure roles. It is not recorded anew. */
  earlier: new URL('earlier.jsonl.gz', folder),
  states: new URL('states.json', folder),
  rules: new URL('rules.json', folder),
};

/** What the streams of the kept ledgers came to when they were recorded: the hash of each state, by ledger and stream. */
export const keptStates = (): Readonly<Record<string, Readonly<Record<string, string>>>> =>
  JSON.parse(readFileSync(files.states, 'utf8'));

/** The golden ledger holds every type of event; the others are runs of the simulation, by seed. */
export function keptLedgers(): ReadonlyMap<string, readonly ChainLink[]> {
  const recorded = linesOf(gunzipSync(readFileSync(files.recorded)).toString('utf8')) as readonly {
    readonly ledger: string;
    readonly link: ChainLink;
  }[];
  const bySeed = Map.groupBy(recorded, ({ ledger }) => ledger);
  return new Map<string, readonly ChainLink[]>([
    ['golden', linesOf(readFileSync(files.golden, 'utf8')) as readonly ChainLink[]],
    ...[...bySeed].map(([ledger, lines]) => [ledger, lines.map(({ link }) => link)] as const),
    ['earlier', linesOf(gunzipSync(readFileSync(files.earlier)).toString('utf8')) as readonly ChainLink[]],
  ]);
}

const linesOf = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Verifies the chain over the stored bytes, then reads the events. */
export function readVerified(links: readonly ChainLink[]): readonly Stored[] {
  const walk = walkChain(sha256);
  for (const link of links) {
    const problem = walk.step(link);
    if (problem !== null) throw new Error(`seq ${link.seq}: ${problem}`);
  }
  return links.map(storedOf);
}

export const stateHash = (text: string): string => hash('sha256', text, 'hex');
