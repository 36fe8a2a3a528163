import { expect, test } from 'vitest';
import { commit, created, me, plan } from '../../../test/support/plans.ts';
import { runId } from '../../domain/base/ids.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { openDependency, openOnBranch } from './dependencies.ts';

const history = (...events: readonly LedgerEvent[]): readonly Stored[] =>
  events.map((event, index) => ({
    stream: 'any',
    position: index + 1,
    seq: index + 1,
    at: '2026-01-01T00:00:00.000Z',
    epoch: 1,
    hash: String(index),
    event,
  }));
const [shop, pay] = [runId('shop-0001'), runId('pay-0002')];
const added: RunEvent = {
  type: 'dependency-added',
  dependency: 'd1',
  branch: 'main',
  on: { run: pay },
  required: true,
  text: 'the price list',
  by: me,
};
const lands = (branch: string): RunEvent => ({
  type: 'landing-intended',
  branch,
  old: null,
  new: commit('tip'),
  worktree: null,
});
const merges: RunEvent = { type: 'merge-intended', wave: 0, round: 0, old: commit('base'), new: commit('tip') };
const open = { rule: 'dependency-open', dependency: 'd1', branch: 'main', named: pay };

const landed = async () => [];

test('a dependency of the branch keeps a landing there from being intended, and no merge', async () => {
  const first = created(plan([{ a: {} }]));
  expect(await openDependency(history(first, added), lands('main'), landed)).toMatchObject(open);
  expect(await openDependency(history(first, added), lands('tidegate/shop-0001'), landed)).toBeNull();
  expect(await openDependency(history(first, added), merges, landed)).toBeNull();
});

test('the stream of the repository says so as well, also when the run has not recorded it', async () => {
  expect(await openOnBranch(history(added), lands('main'), shop, landed)).toMatchObject(open);
  expect(await openOnBranch(history(added), lands('main'), pay, landed)).toBeNull();
  expect(await openOnBranch(history(added), lands('next'), shop, landed)).toBeNull();
  expect(
    await openOnBranch(history({ ...added, required: false } as RunEvent), lands('main'), shop, landed),
  ).toBeNull();
  expect(await openOnBranch(history(added), merges, shop, landed)).toBeNull();
  for (const type of ['dependency-resolved', 'dependency-cancelled'] as const) {
    const settled: RunEvent = { type, dependency: 'd1', reason: 'by hand', by: me };
    expect(await openOnBranch(history(added, settled), lands('main'), shop, landed)).toBeNull();
  }
  const unmet: RunEvent = { type: 'dependency-unmet', dependency: 'd1', because: 'abandoned' };
  expect(await openOnBranch(history(added, unmet), lands('main'), shop, landed)).toMatchObject(open);
});

test('a landing that met the dependency of a branch and was undone opens it again', async () => {
  const met: RunEvent = {
    type: 'dependency-resolved',
    dependency: 'd1',
    landed: { run: pay, branch: 'main', commit: commit('tip') },
    by: { who: 'tidegate', via: 'policy' },
  };
  const there = async () =>
    history({
      type: 'landed',
      branch: 'main',
      old: null,
      new: commit('tip'),
      tasks: [],
      judged: true,
    } as unknown as RunEvent);
  const backAgain = async () => [...(await there()), ...history({ type: 'undone', task: null } as unknown as RunEvent)];
  expect(await openOnBranch(history(added, met), lands('main'), shop, there)).toBeNull();
  expect(await openOnBranch(history(added, met), lands('main'), shop, backAgain)).toMatchObject(open);
});
