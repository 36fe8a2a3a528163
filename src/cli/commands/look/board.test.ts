import { expect, test } from 'vitest';
import { commandScene, working } from '../../../../test/support/command-scene.ts';
import { by, hello, run } from '../../../../test/support/run-events.ts';
import { attemptId } from '../../../domain/base/ids.ts';
import type { Post, RecordTarget } from '../../../domain/board/board.ts';
import type { RunEvent } from '../../../domain/ledger/events.ts';

const posted = (
  post: number,
  what: Partial<Omit<Post, 'target'>> & { readonly target?: RecordTarget } = {},
): RunEvent => ({
  type: 'attempt-noted',
  task: hello,
  attempt: attemptId(run, hello, 1),
  number: post,
  note: { note: 'posted', post, kind: 'question', target: 'person', text: 'which\n\x1b[31mtable?', ...what },
  place: { id: String(post), to: what.target ?? 'person', status: what.kind === 'note' ? 'closed' : 'open' },
});

test.each([
  [['post', '-m', 'mind the gap'], { type: 'requested-post', kind: 'note', target: 'all', text: 'mind the gap', by }],
  [
    ['post', 'hello', '-m', 'it is b', '--kind', 'decision'],
    { type: 'requested-post', kind: 'decision', target: hello, text: 'it is b', by },
  ],
  [
    ['post', '-m', 'then this', '--depends-on', '1'],
    { type: 'requested-post', kind: 'note', target: 'all', text: 'then this', dependsOn: ['1'], by },
  ],
  [['answer', '1', '-m', 'b'], { type: 'requested-answer', record: '1', text: 'b', by }],
  [['answer', `${run}/1`, '--close'], { type: 'requested-answer', record: '1', text: null, by }],
])('tidegate %j is one request', async (argv, request) => {
  await using here = await commandScene([...working, posted(1)]);
  expect(await here.tidegate(...argv)).toMatchObject({ exit: 0, problems: [] });
  expect(await here.requests()).toEqual([request]);
});

test.each([
  [['answer', '1'], 'answer: write the answer with -m, or close the question'],
  [['answer', '1', '-m', 'b', '--close'], 'answer: use either -m or --close'],
  [['answer', 'hello', '-m', 'b'], 'is not a run/record; see tidegate inbox'],
  [['answer', '7', '-m', 'b'], `the board of ${run} has no record 7`],
  [['answer', '2', '-m', 'b'], 'record 2 needs no answer; it is closed'],
  [['post', '-m', ' '], 'the message is empty'],
  [['post', '-m', 'x', '--kind', 'request'], 'say who gets it: --to <task> or --to person'],
  [['post', '-m', 'x', '--depends-on', 'y'], 'a record can only depend on records of the board, by number'],
  [['post', '-m', 'x', '--kind', 'order'], 'the kind must be one of note, question'],
])('tidegate %j asks for nothing, and says why', async (argv, why) => {
  await using here = await commandScene([...working, posted(1), posted(2, { kind: 'note' })]);
  const { exit, problems } = await here.tidegate(...argv);
  expect(exit).not.toBe(0);
  expect(problems.join('\n')).toContain(why);
  expect(await here.requests()).toEqual([]);
});

test.each([[['answer', '1', '-m', 'b']], [['post', '-m', 'x']]])(
  'an agent outside a fence may not %j',
  async (argv) => {
    await using here = await commandScene([...working, posted(1)], { agent: 'claude-code' });
    expect(await here.tidegate(...argv)).toMatchObject({ exit: 43 });
    expect(await here.requests()).toEqual([]);
  },
);

test('the board and the inbox show what agents wrote on lines of their own, without control characters', async () => {
  await using here = await commandScene([...working, posted(1), posted(2, { kind: 'note', target: 'all', text: 'x' })]);
  expect((await here.tidegate('board')).out).toBe(
    '1 question  hello → person  open  which table?\n2 note  hello → all  x\n1 open',
  );
  expect((await here.tidegate('inbox')).out).toContain(`${run}/hello: its agent asks: "which table?"`);
  expect((await here.tidegate('inbox', '--json')).document).toMatchObject({
    items: [{ run, kind: 'question', task: hello, record: '1', command: `tidegate answer ${run}/1 -m "your answer"` }],
  });
});
