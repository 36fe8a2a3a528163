import { expect, test } from 'vitest';
import { attempt, idOf, me } from '../../../test/support/plans.ts';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { BoardRecord } from '../../domain/board/board.ts';
import { policy } from '../../domain/settings/policy.ts';
import { takePosts } from './posts.ts';

const record = (id: number, change: Partial<BoardRecord> = {}): BoardRecord => ({
  id: String(id),
  kind: 'request',
  status: 'open',
  target: idOf('b'),
  text: 'do it',
  from: { task: idOf('a'), attempt: attempt('a', 1), post: id },
  ...change,
});
const posts = (...inbox: readonly BoardRecord[]) =>
  takePosts({ attempt: attempt('b', 1) }, { inbox, more: { records: 7, critical: 1 }, wave: '' }, () => true);

/** The lines between the marks, and the line behind them. */
function quoted(text: string) {
  const [, , data = '', after = ''] =
    /<<< data (\w+)\n([\s\S]*?)\n>>> end of data \1(?:\n([\s\S]*))?$/.exec(text) ?? [];
  return { records: data.split('\n').map((line): unknown => JSON.parse(line)), after };
}

test('an inbox stays below its limit, is cut from the least important on, and says so in a line that is ours', () => {
  const all = Array.from({ length: 50 }, (_, at) => record(at + 1, { text: `${at} ${'x'.repeat(700)}` }));
  const text = posts(...all).inbox(null);
  expect(text.length).toBeLessThanOrEqual(policy.inboxCharacters);
  const { records, after } = quoted(text);
  expect(records.map((one) => (one as { id: string }).id)).toEqual(all.slice(0, records.length).map(({ id }) => id));
  expect(after).toBe(`(${57 - records.length} more left out, 1 of them critical)`);
});

test('no record takes the room of the others, whatever it is made of, and each can be read whole', () => {
  const answer = { text: '"'.repeat(policy.recordCharacters), by: me };
  const references = Array.from({ length: 20 }, () => `path:${'"'.repeat(290)}`);
  const worst = record(1, { text: '\u0001"\\'.repeat(1_300), references, answer });
  const text = posts(worst, worst, record(3)).inbox(null);
  expect(text.length).toBeLessThanOrEqual(policy.inboxCharacters);
  const { records } = quoted(text);
  expect(records).toMatchObject([
    { id: '1', cut: true },
    { id: '1', cut: true },
    { id: '3', text: 'do it' },
  ]);
  expect(text).toContain('tidegate inbox <n>');
  expect(quoted(posts(worst).inbox('1')).records).toMatchObject([
    { text: worst.text, references, answer: answer.text },
  ]);
  expect(posts(worst).inbox('2')).toBe('record 2 is not in your inbox');
});

test('the wave is quoted apart, and both are as new as the last terms', () => {
  const board = posts();
  expect(board.inbox(null)).toBe('nothing for you yet');
  const scope = { own: [] } as never;
  board.terms({
    scope,
    usd: 1,
    inbox: [record(4)],
    wave: '1 open, 0 critical; 0 decided\n[5, request, a → c, open] x',
  });
  const text = board.inbox(null);
  expect(text).toContain('"id":"4"');
  expect(text).toMatch(
    /<<< data (\w+)\n1 open, 0 critical; 0 decided\n\[5, request, a → c, open\] x\n>>> end of data \1$/,
  );
});

test('an escalation counts as a post, and what is refused is noted', () => {
  const notes: AgentNote[] = [];
  const all = Array.from({ length: policy.recordsOfAttempt }, (_, at) => record(at + 1));
  const board = takePosts({ attempt: attempt('b', 1) }, { inbox: all }, (note) => notes.push(note) > 0);
  const note = { kind: 'note', text: 'x', wait: 0 };
  expect(board.post({ kind: 'request', text: 'x', wait: 0 })).toEqual({
    ok: false,
    why: 'say who gets it: --to <task> or --to person',
  });
  expect(notes).toEqual([{ note: 'denied', tool: 'post', because: { rule: 'record-target' } }]);
  expect(board.post(note)).toMatchObject({ ok: true });
  const escalate = (id: string) => board.act({ record: id, act: 'escalate', text: 'not mine' });
  expect(all.slice(1).every(({ id }) => (escalate(id) as { ok: boolean }).ok)).toBe(true);
  const full = { ok: false, why: 'you have posted 50 times, and more is not taken' };
  expect(escalate('1')).toEqual(full);
  expect(board.post(note)).toEqual(full);
  expect(board.act({ record: '1', act: 'resolve', text: 'done' })).toMatchObject({ ok: true });
});

test('an answer by a decision of a person says so', () => {
  const answer = { text: 'metres', by: { who: 'ada', via: 'policy' as const } };
  expect(quoted(posts(record(1, { answer })).inbox(null)).records).toMatchObject([{ answeredBy: 'policy' }]);
});
