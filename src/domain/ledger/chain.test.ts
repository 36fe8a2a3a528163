import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../plan/plan.ts';
import { type ChainLink, genesis, linkHash, walkChain } from './chain.ts';

/** Not a hash at all: it shows exactly what is hashed. */
const plain = (text: string): string => `<${text}>`;

describe('a chain', () => {
  test('hashes the previous hash and the canonical record', () => {
    const event = { type: 'x', b: 1, a: 'ü' };
    const record = { seq: 3, stream: 's', position: 2, epoch: 1, at: 't' };
    const hashed = linkHash(plain, 'before', { ...record, body: canonicalJson(event) });
    expect(hashed).toBe(plain(`before${canonicalJson({ ...record, event })}`));
  });

  test('is walked from its beginning or from a known tip', () => {
    const [first, second, third] = chainOf([
      [1, 's', 1, 1],
      [2, 't', 1, 0],
      [3, 's', 2, 1],
    ]);
    const whole = walkChain(plain);
    expect([first, second, third].map((link) => whole.step(link))).toEqual([null, null, null]);
    expect([whole.tip(), whole.epoch()]).toEqual([{ seq: 3, hash: third.hash }, 1]);
    expect(walkChain(plain, second).step(third)).toBeNull();
  });

  test('that skips a position or goes back in epoch is wrong though its hashes are right', () => {
    const [first, second] = chainOf([
      [1, 's', 1, 2],
      [2, 's', 3, 2],
      [3, 's', 4, 2],
    ]);
    const skipping = walkChain(plain);
    expect([skipping.step(first), skipping.step(second)]).toEqual([null, 'expected position 2 in s, found 3']);
    const [newer, older] = chainOf([
      [1, 's', 1, 2],
      [2, 's', 2, 1],
      [3, 's', 3, 1],
    ]);
    const back = walkChain(plain);
    expect([back.step(newer), back.step(older)]).toEqual([null, 'epoch 1 after epoch 2']);
  });
});

type Row = readonly [seq: number, stream: string, position: number, epoch: number];

function chainOf(rows: readonly [Row, Row, Row]): readonly [ChainLink, ChainLink, ChainLink] {
  let previous = genesis.hash;
  const link = ([seq, stream, position, epoch]: Row): ChainLink => {
    const record = { seq, stream, position, epoch, at: '', body: '{"type":"x"}' };
    previous = linkHash(plain, previous, record);
    return { ...record, hash: previous };
  };
  return [link(rows[0]), link(rows[1]), link(rows[2])];
}
