import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import { openRecords } from '../closure/barriers.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import type { Post } from './board.ts';
import { placeOf, readPost } from './board-requests.ts';
import { gradeOf, kindNamed, kindRules, type RecordKind, recordKinds, type Severity, severityNamed } from './kinds.ts';

const frozen = plan([{ a: {}, b: {} }, { later: {} }]);
const begun = stateAfter(created(frozen));
const dropped: RunEvent = { type: 'task-dropped', task: idOf('b'), by: me };

const posted = (state: RunState, post: Partial<Post>): RunState => {
  const note = { note: 'posted', post: 1, kind: 'request', target: 'all', text: 'x', ...post } as const;
  return stateAfterMore(state, {
    type: 'attempt-noted',
    task: idOf('a'),
    attempt: attempt('a', 1),
    number: 1,
    note,
    place: placeOf(state, note),
  });
};
const openIn = (state: RunState): readonly (readonly string[])[] =>
  state.waves.map((wave) => openRecords(state, wave).map(({ id, owner }) => `${id} ${owner}`));

test.each<[string, Partial<Post>, readonly string[], readonly string[]]>([
  ['a request to a task', { target: idOf('b') }, ['request-1 b'], []],
  ['a question to a task', { kind: 'question', target: idOf('b') }, ['question-1 b'], []],
  ['an advisory request to a task', { target: idOf('b'), severity: 'advisory' }, [], []],
  ['the same by its landed word', { target: idOf('b'), severity: 'low' }, [], []],
  ['a request to all', {}, [], []],
  ['a request to a task of a later wave', { target: idOf('later') }, [], ['request-1 later']],
  ['a request to a task that is not there', { target: idOf('nobody') }, ['request-1 person'], []],
  ['a request for a capability that no task has', { target: 'capability:sql' }, ['request-1 person'], []],
  ['a question to a person', { kind: 'question', target: 'person' }, [], []],
  [
    'a critical question to a person',
    { kind: 'question', target: 'person', severity: 'critical' },
    ['question-1 person'],
    [],
  ],
  ['a blocker', { kind: 'blocker' }, [], []],
  ['a critical blocker', { kind: 'blocker', severity: 'critical' }, ['blocker-1 person'], []],
  ['a contradiction', { kind: 'contradiction', severity: 'critical' }, ['contradiction-1 person'], []],
  ['an advisory contradiction', { kind: 'contradiction', severity: 'advisory' }, [], []],
  [
    'a contradiction with a later task: it is of the wave of its author, and nobody there can settle it',
    { kind: 'contradiction', severity: 'critical', target: idOf('later') },
    ['contradiction-1 person'],
    [],
  ],
  [
    'an escalation, whoever it names',
    { kind: 'human-escalation', target: idOf('later') },
    ['human-escalation-1 person'],
    [],
  ],
  ['a critical note', { kind: 'note', severity: 'critical' }, [], []],
  ['a decision for a task', { kind: 'decision', target: idOf('b') }, [], []],
])('%s', (_, post, first, second) => {
  expect(openIn(posted(begun, post))).toEqual([first, second]);
});

test("a request to a task that is dropped afterwards is a person's", () => {
  expect(openIn(stateAfterMore(posted(begun, { target: idOf('b') }), dropped))).toEqual([['request-1 person'], []]);
});

test('every kind has its rule, and a severity of an old ledger is judged by the same function', () => {
  expect(Object.keys(kindRules).toSorted()).toEqual([...recordKinds].toSorted());
  const grades = { advisory: 'advisory', low: 'advisory', normal: 'normal', high: 'normal', critical: 'critical' };
  for (const [word, grade] of Object.entries(grades)) expect(gradeOf(word as Severity)).toBe(grade);
  expect(['hard', 'soft', 'stale', 'advisory', 'proof-critical', 'closure-critical'].map(severityNamed)).toEqual([
    'critical',
    'normal',
    'advisory',
    'advisory',
    'critical',
    'critical',
  ]);
  expect(severityNamed('toString')).toBeNull();
});

test('kinds by the names of other tools', () => {
  const names = ['clarification-request', 'human-feedback', 'handoff', 'question', 'valueOf'];
  expect(names.map(kindNamed)).toEqual(['question', 'question', 'handoff-note', 'question', null]);
});

test.each<[string, object, string]>([
  ['a kind that only Tidegate posts', { kind: 'resolved-by-policy' }, 'post-poster'],
  ['guidance of an orchestrator', { kind: 'orchestrator-guidance' }, 'post-poster'],
  ['a summary of integration by another task', { kind: 'integration-summary' }, 'post-poster'],
  ['too many references', { references: Array.from({ length: 21 }, () => 'a') }, 'post-reference'],
  ['a dependency that is no record', { dependsOn: ['a'] }, 'post-depends'],
  ['a priority that is none', { priority: 'now' }, 'post-priority'],
  ['a confidence that is none', { confidence: 'sure' }, 'post-confidence'],
  ['a severity that is none', { severity: 'dire' }, 'post-severity'],
  ['a target that is none', { target: 'capability:' }, 'post-target'],
])('an agent cannot post %s', (_, post, rule) => {
  const read = readPost({ kind: 'request', target: 'all', text: 'x', ...post }, 'agent');
  expect(read).toMatchObject({ ok: false, error: { rule } });
});

test('a post is read once into its stored form', () => {
  const kinds: readonly RecordKind[] = ['contradiction', 'request'];
  const raw = { target: 'agent:b', text: 'x', references: ['3', '#4', 'src/a.ts', 'component:core'], priority: 'high' };
  expect(kinds.map((kind) => readPost({ ...raw, kind }, 'agent'))).toEqual(
    kinds.map((kind) => ({
      ok: true,
      value: {
        kind,
        target: 'b',
        text: 'x',
        ...(kind === 'contradiction' ? { severity: 'critical' } : {}),
        references: ['record:3', 'record:4', 'path:src/a.ts', 'component:core'],
        priority: 'high',
      },
    })),
  );
});
