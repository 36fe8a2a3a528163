import { expect, test } from 'vitest';
import { approved, begun, ended, hello, run, started } from '../../../test/support/run-events.ts';
import { attemptId } from '../base/ids.ts';
import { explain } from '../explain/explain.ts';
import type { Finding } from '../findings/finding.ts';
import type { SnapshotEvidence } from '../gates/evidence.ts';
import type { RunEvent } from '../ledger/events.ts';
import { foldRun } from '../run/run.ts';
import { keepAtEnd } from './discard.ts';

const attempt = attemptId(run, hello, 1);
const taskAfter = (events: readonly RunEvent[]) =>
  foldRun([...begun(), ...approved, ...events].map((event, at) => ({ seq: at + 1, event })))?.tasks[hello];
const running = taskAfter(started);
const launching = taskAfter(started.slice(0, 2));

const refusing = (...refused: readonly Finding[]): SnapshotEvidence => {
  if (ended.type !== 'attempt-ended' || ended.snapshot === null) throw new Error('no snapshot');
  return { ...ended.snapshot, refused };
};
const keptOf = (snapshot: SnapshotEvidence | null, snapshotProblem: Finding | null = null, task = running) =>
  keepAtEnd(task, { attempt, snapshot, snapshotProblem }).kept;

const holding: readonly Finding[] = [
  { rule: 'nested-git', where: 'sub/.git' },
  { rule: 'unfit-name', where: '"c\\351"', fault: 'encoding' },
  { rule: 'unreadable', where: 'closed', kind: 'directory' },
  { rule: 'too-deep', where: 'a/b' },
  { rule: 'too-large', where: 'big.bin', limit: 'file', bytes: 1 },
  { rule: 'known-value', where: '[redacted]', in: 'name' },
  { rule: 'secret-shape', where: '[redacted aws]', shape: 'aws', in: 'name' },
  { rule: 'submodule-changed', where: 'lib', files: ['lib/a'] },
  // a rule that nobody here knows
  { rule: 'snapshot-present', where: 'later' },
];
const empty: readonly Finding[] = [
  { rule: 'special-file', where: 'pipe', kind: 'FIFO' },
  { rule: 'two-spellings', where: 'a', spelled: 'A', first: 'a' },
  { rule: 'submodule-changed', where: 'lib', files: ['lib'] },
  { rule: 'submodule-changed', where: '.gitmodules', files: [] },
];

test.each(holding)('$rule: $where is kept, with why', (finding) => {
  expect(keptOf(refusing(finding))).toEqual([{ path: finding.where, why: finding }]);
});

test.each(empty)('$rule: $where holds nothing that is not in the snapshot', (finding) => {
  expect(keptOf(refusing(finding))).toEqual([]);
});

test('without a snapshot the whole workspace is kept, with why there is none', () => {
  const problem: Finding = { rule: 'too-many-refused', most: 1000 };
  const why: Finding = { rule: 'snapshot-present', where: '.', because: problem };
  expect(keptOf(null, problem)).toEqual([{ path: '.', why }]);
  expect(keptOf(null)).toEqual([{ path: '.', why: { rule: 'snapshot-present', where: '.' } }]);
  expect(explain(why).detail).toBe(
    'the workspace could not be snapshotted: more than 1000 files cannot be part of a snapshot',
  );
});

test('nothing is kept of an agent that had not begun, unless nobody could look', () => {
  expect(keptOf(null, null, launching)).toEqual([]);
  expect(keptOf(null, { rule: 'no-workspace' }, launching)).toEqual([]);
  const unread: Finding = { rule: 'supervisor-unwatched', words: '' };
  expect(keptOf(null, unread, launching)).toEqual([
    { path: '.', why: { rule: 'snapshot-present', where: '.', because: unread } },
  ]);
});
