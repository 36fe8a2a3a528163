import { expect, test } from 'vitest';
import { attempt, created, hashOf, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { AgentNote } from '../agents/agent-note.ts';
import { blockingRecords, landingRecords } from '../board/blocking.ts';
import { type Post, recordsOf } from '../board/board.ts';
import { openToPerson } from '../board/board-requests.ts';
import { settledByPolicy } from '../board/clarify.ts';
import { nextHelper } from '../board/helpers.ts';
import { inboxOf } from '../board/views.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { audienceOf, decideGuidance, overviewOf, viewNameOf } from './guidance.ts';

const at = '2026-01-01T00:00:00.000Z';
const orchestrator = { agent: 'command', command: ['guide'], model: null, text: '', usd: 1, minutes: 60 };
const frozen = plan([{ a: { capabilities: ['sql'] }, b: {} }, { c: { capabilities: ['sql'] } }], { orchestrator });
const id = attempt('orchestrator', 1);
const intendedOne: RunEvent = {
  ...{ type: 'orchestrator-intended', attempt: id, number: 1, nonce: 'n', agent: 'command', hash: hashOf(frozen) },
  ...{ usd: 1, minutes: 60, most: 10, view: 'v' },
};
/** Task `a` asks `b` a critical question about a path. */
const question: RunEvent = {
  type: 'attempt-noted',
  ...{ task: idOf('a'), attempt: attempt('a', 1), number: 1 },
  note: { note: 'posted', post: 1, kind: 'question', target: idOf('b'), text: 'which?', references: ['path:x'] },
  place: { id: '1', to: idOf('b'), status: 'open', at },
};
const begun = stateAfter(created(frozen), intendedOne, question);

const posted = (post: Partial<Post>): AgentNote => ({
  ...{ note: 'posted', post: 1, kind: 'orchestrator-guidance', target: 'all', text: 'the first' },
  ...post,
});
const noted = (state: RunState, note: AgentNote): RunState =>
  stateAfterMore(state, {
    type: 'orchestrator-noted',
    ...{ attempt: id, number: 1, note, ...decideGuidance(state, note, at) },
  });

/** Everything that the board decides. */
const decided = (state: RunState) => ({
  blocking: state.waves.map(({ index }) => blockingRecords(state, index).map((record) => record.id)),
  person: openToPerson(state).map((record) => record.id),
  landing: [...landingRecords(state)].map((record) => record.id),
  settled: state.waves.map((wave) => settledByPolicy(state, wave, at)),
  helper: state.waves.map((wave) => nextHelper(state, wave, at)?.task),
  question: recordsOf(state)[0],
});

test.each<[string, Partial<Post>]>([
  ['critical', { severity: 'critical' }],
  ['for the task that the question is for', { target: idOf('b'), severity: 'critical' }],
  ['for a capability', { target: 'capability:sql', severity: 'critical' }],
  ['with the references of the question', { references: ['path:x', 'record:1', 'task:b'] }],
  ['that depends on the question', { dependsOn: ['1'], closureCondition: 'answered', priority: 'urgent' }],
])('guidance %s blocks, settles and routes nothing', (_, post) => {
  const after = noted(begun, posted(post));
  expect(recordsOf(after)).toHaveLength(2);
  expect(recordsOf(after)[1]).toMatchObject({ id: '2', kind: 'orchestrator-guidance', status: 'closed' });
  expect(recordsOf(after)[1]).not.toHaveProperty('route');
  expect(decided(after)).toEqual(decided(begun));
});

test.each<[string, AgentNote, string]>([
  ['a request', posted({ kind: 'request', target: idOf('b') }), 'post-poster'],
  ['a decision', posted({ kind: 'decision', references: ['path:x'] }), 'post-poster'],
  ['a note', posted({ kind: 'note' }), 'post-poster'],
  ['guidance for a person', posted({ target: 'person' }), 'guidance-reader'],
  ['guidance for nobody', posted({ target: idOf('nobody') }), 'guidance-reader'],
  ['guidance for a capability that no task has', posted({ target: 'capability:rust' }), 'guidance-reader'],
  ['a resolution', { note: 'acted', record: '1', act: 'resolve', text: 'done' }, 'orchestrator-only'],
  ['a dismissal', { note: 'acted', record: '1', act: 'dismiss', text: 'no' }, 'orchestrator-only'],
])('%s of the orchestrator is refused, and changes nothing', (_, note, rule) => {
  expect(decideGuidance(begun, note, at)).toMatchObject({ refused: { rule } });
  const after = noted(begun, note);
  expect([after.board, decided(after)]).toEqual([begun.board, decided(begun)]);
});

test('an event that says more than guidance adds guidance or nothing', () => {
  const place = { id: '2', to: idOf('b'), status: 'open', of: '1', route: { asked: 'x', reason: 'no-task' } } as const;
  const forged = (note: AgentNote): RunState =>
    stateAfterMore(begun, { type: 'orchestrator-noted', attempt: id, number: 1, note, place });
  expect(forged(posted({ kind: 'request' })).board).toEqual(begun.board);
  expect(decided(forged(posted({ severity: 'critical' })))).toEqual(decided(begun));
});

test('it reaches the tasks that it is for', () => {
  const readers = (state: RunState) => ['a', 'b', 'c'].map((task) => inboxOf(state, idOf(task)).records.length);
  const before = readers(begun);
  const more = (post: Partial<Post>) =>
    readers(noted(begun, posted(post))).map((count, at) => count - (before[at] ?? 0));
  expect(more({})).toEqual([1, 1, 1]);
  expect(more({ target: idOf('b') })).toEqual([0, 1, 0]);
  expect(more({ target: 'capability:sql' })).toEqual([1, 0, 1]);
});

test('the orchestrator sees every wave and task, and its view changes with the board and the tasks', () => {
  expect(overviewOf(begun)).toMatchObject({
    waves: [
      { wave: 1, state: 'open' },
      { wave: 2, state: 'open' },
    ],
    tasks: [{ task: 'a', wave: 1, status: 'waiting', capabilities: ['sql'] }, { task: 'b' }, { task: 'c', wave: 2 }],
  });
  expect(audienceOf(overviewOf(begun), 'capability:sql')).toEqual({
    ok: true,
    value: { to: 'all', tasks: ['a', 'c'] },
  });
  const names = [
    begun,
    noted(begun, posted({})),
    stateAfterMore(begun, { type: 'task-dropped', task: idOf('a'), by: me }),
    stateAfterMore(begun, { type: 'wave-closed', wave: 0 }),
  ].map(viewNameOf);
  expect(new Set(names).size).toBe(4);
  expect(viewNameOf(stateAfterMore(begun, { type: 'orchestrator-told', attempt: id, view: 'w' }))).toBe(names[0]);
});
