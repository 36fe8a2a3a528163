import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import { barriersOfRun, landingBarriers, openRecords } from '../closure/barriers.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { decideNote } from './agent-notes.ts';
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

test('a record holds the landing when it blocks and its wave is closed, or when it is critical', () => {
  const held = (state: RunState) => landingBarriers(state).map(({ id, owner, because }) => [id, owner, because.rule]);
  const closed = stateAfterMore(begun, { type: 'wave-closed', wave: 0 });
  const both = stateAfterMore(closed, { type: 'wave-closed', wave: 1 });
  const escalation = { kind: 'human-escalation', target: 'person' } as const;
  const entry = ['human-escalation-1', 'person', 'landing-question'];
  expect(held(posted(begun, escalation))).toEqual([]);
  // the other wave is open, and stays so
  expect(held(posted(closed, escalation))).toEqual([entry]);
  expect(held(posted(closed, { target: idOf('later') }))).toEqual([]);
  expect(held(posted(both, escalation))).toEqual([entry]);
  expect(barriersOfRun(posted(both, escalation)).map(({ id }) => id)).toEqual(['human-escalation-1']);
  expect(held(posted(both, { kind: 'question', target: 'person' }))).toEqual([]);
  expect(held(posted(begun, { kind: 'question', target: 'person', severity: 'critical' }))).toEqual([
    ['question-1', 'person', 'landing-question'],
  ]);
});

test('whom a post is for that names nobody', () => {
  const target = (kind: string, more: object = {}) => {
    const read = readPost({ kind, text: 'x', ...more }, 'agent');
    return read.ok ? read.value.target : read.error.rule;
  };
  expect(['request', 'blocker', 'note', 'human-escalation'].map((kind) => target(kind))).toEqual([
    'record-target',
    'person',
    'all',
    'person',
  ]);
  expect(target('human-escalation', { target: 'all' })).toBe('person');
  expect(target('human-feedback', { target: 'all' })).toBe('person');
});

test('a record depends only on records that are on the board, so never on itself', () => {
  const agent = { task: idOf('a'), attempt: attempt('a', 1) };
  const decided = (...dependsOn: readonly string[]) => {
    const note = { note: 'posted', post: 1, kind: 'request', target: idOf('b'), text: 'x', dependsOn } as const;
    return decideNote(posted(begun, {}), agent, note, '2026-01-01T00:00:00.000Z');
  };
  expect(decided('1')).toMatchObject({ place: { id: '2' } });
  for (const id of ['2', '3'])
    expect(decided('1', id)).toMatchObject({ refused: { rule: 'no-such-record', record: id } });
});

test('an agent acts on what is in its inbox, and on nothing else', () => {
  const note = { note: 'acted', record: '1', act: 'resolve', text: 'done' } as const;
  const at = '2026-01-01T00:00:00.000Z';
  const by = (task: string) => ({ task: idOf(task), attempt: attempt(task, 1) });
  const state = posted(begun, { target: idOf('b') });
  expect(decideNote(state, by('later'), note, at)).toEqual({ refused: { rule: 'record-unknown', record: '1' } });
  expect(decideNote(state, by('b'), note, at)).toMatchObject({ changes: [{ status: 'resolved' }] });
});
