import { describe, expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, theRun, you } from '../../../test/support/plans.ts';
import { spentMs } from '../../../test/support/spent.ts';
import { answer } from '../decide/answer.ts';
import { explain } from '../explain/explain.ts';
import { needsOf } from '../explain/needs.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { foldRun, type Recorded, type RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { landingRecords } from './blocking.ts';
import { type BoardRecord, type Post, recordsOf, termsVersion } from './board.ts';
import { answerOnBoard, openToPerson, placeOf, targetNamed } from './board-requests.ts';

const frozen = plan([{ a: {}, b: {}, c: {} }]);
const run = (...events: RunEvent[]): RunState => stateAfter(created(frozen), ...events);
const noted = (task: string, post: number, posted: Partial<Post> = {}): RunEvent => {
  const note = { note: 'posted', post, kind: 'question', target: 'person', text: 'which?', ...posted } as const;
  const place = { ...placeOf(empty, note), id: String(post) };
  return { type: 'attempt-noted', task: idOf(task), attempt: attempt(task, 1), number: post, note, place };
};
const posted = (text: string, target: string, id = 1): RunEvent => {
  const post = { kind: 'note', target: targetNamed(target), text } as const;
  return { type: 'record-posted', ...post, place: { ...placeOf(empty, post), id: String(id) }, by: me };
};
const empty = stateAfter(created(frozen));
const answered: RunEvent = { type: 'record-answered', record: '1', text: 'the first', by: you };

describe('a record', () => {
  test('is known by the channel that it came through, and a question is open until a person answers it', () => {
    const record: BoardRecord = {
      id: '1',
      kind: 'question',
      status: 'open',
      target: 'person',
      text: 'which?',
      from: { task: idOf('a'), attempt: attempt('a', 1), post: 1 },
    };
    expect(recordsOf(run(noted('a', 1)))).toEqual([record]);
    expect(recordsOf(run(noted('a', 1), answered))).toEqual([
      { ...record, status: 'answered', answer: { text: 'the first', by: you } },
    ]);
    expect(recordsOf(run(noted('a', 1), { type: 'record-closed', record: '1', by: you }))).toEqual([
      { ...record, status: 'closed' },
    ]);
  });

  test('that only tells waits for nobody', () => {
    const kinds = ['note', 'decision', 'handoff-note', 'request'] as const;
    const board = recordsOf(run(...kinds.map((kind, index) => noted('a', index + 1, { kind, target: 'all' }))));
    expect(board.map(({ kind, status }) => [kind, status])).toEqual([
      ['note', 'closed'],
      ['decision', 'closed'],
      ['handoff-note', 'closed'],
      ['request', 'open'],
    ]);
  });

  test('for a task that the run does not have reaches a person', () => {
    expect(recordsOf(run(noted('a', 1, { target: idOf('nobody') })))[0]?.target).toBe('person');
  });
});

test('agents at work are told of every post and every change', () => {
  const versions = [[], [noted('a', 1)], [noted('a', 1), answered]].map((events) => termsVersion(run(...events)));
  expect(versions).toEqual([0, 1, 2]);
  expect(termsVersion(run(noted('a', 1, { target: 'all' })))).toBeGreaterThan(0);
});

test('F11: a critical question is open to people, whoever it is for, until it is answered; the landing waits for it', () => {
  const asked = run(noted('a', 1, { severity: 'critical', target: idOf('b') }), noted('b', 2, { severity: 'high' }));
  const done = stateAfter(
    created(frozen),
    noted('a', 1, { severity: 'critical' }),
    { type: 'run-ended', outcome: 'done' },
    answered,
  );
  expect([...landingRecords(asked)].map(({ id }) => id)).toEqual(['1']);
  expect(openToPerson(asked).map(({ id }) => id)).toEqual(['1', '2']);
  expect([...landingRecords(done)]).toEqual([]);
  expect(answer(asked, { type: 'requested-land', by: me })).toEqual({
    ok: false,
    error: { rule: 'landing-question', run: theRun, record: '1', branch: 'main' },
  });
});

test('F11: a question of a run that has ended can still be answered, and nothing else be asked of it', () => {
  const ended = run(noted('a', 1), { type: 'run-ended', outcome: 'landed' });
  expect(needsOf(ended)).toMatchObject([{ kind: 'question', record: '1' }]);
  const late = { type: 'requested-answer', record: '1', text: 'the first', by: you } as const;
  expect(answer(ended, late)).toEqual({ ok: true, value: [answered] });
  expect(answer(ended, { type: 'requested-pause', by: me })).toMatchObject({ ok: false });
});

describe('a person', () => {
  const post = (text: string, target: string): RequestEvent => ({
    type: 'requested-post',
    kind: 'note',
    target: targetNamed(target),
    text,
    by: me,
  });
  const answers = (record: string, text: string | null): RequestEvent => ({
    type: 'requested-answer',
    record,
    text,
    by: you,
  });

  test('posts for a task or for all, and answers what is open', () => {
    expect(answer(run(), post('mind the gap', 'all'))).toEqual({ ok: true, value: [posted('mind the gap', 'all')] });
    expect(answer(run(noted('a', 1)), answers('1', 'the first'))).toEqual({ ok: true, value: [answered] });
    expect(answer(run(noted('a', 1)), answers('1', null))).toEqual({
      ok: true,
      value: [{ type: 'record-closed', record: '1', by: you }],
    });
  });

  test.each([
    ['an empty message', post('  ', 'all'), 'the message is empty'],
    ['a long message', post('x'.repeat(policy.recordCharacters + 1), 'all'), 'more than 4000 characters'],
    ['a task that is not there', post('x', 'z'), `${theRun} has no task z`],
    ['what is no name', post('x', '../a'), 'the target must be a task, person or all'],
    ['a record that is not there', answers('7', 'x'), 'has no record 7'],
    ['an empty answer', answers('1', ''), 'the message is empty'],
  ])('is told why not: %s', (_, request, why) => {
    const decided = answer(run(noted('a', 1)), request);
    expect(decided.ok ? '' : explain(decided.error).detail).toContain(why);
  });

  test('answers once', () => {
    const decided = answerOnBoard(run(noted('a', 1), answered), answers('1', 'no') as never);
    expect(decided).toEqual({ ok: false, error: { rule: 'record-settled', record: '1', status: 'answered' } });
  });
});

test('F23: a board of twice as many records folds in about twice the time', { timeout: 120_000 }, () => {
  const recorded = (count: number): readonly Recorded[] => [
    { seq: 1, event: created(frozen) },
    ...Array.from({ length: count }, (_, index) => ({ seq: 0, event: posted('x', 'person', index + 1) })),
    ...Array.from({ length: count / 2 }, (_, index) => ({
      seq: 0,
      event: { type: 'record-answered', record: String(2 * index + 1), text: 'y', by: you } as const,
    })),
  ];
  const spentOn = (count: number): number => {
    const events = recorded(count);
    const times = Array.from({ length: 5 }, () => {
      const begun = spentMs();
      const state = foldRun(events);
      const spent = spentMs() - begun;
      expect(state === null ? 0 : recordsOf(state).filter(({ status }) => status === 'answered').length).toBe(
        count / 2,
      );
      return spent;
    });
    return Math.min(...times);
  };
  spentOn(4_000);
  // a fold that copies the board at each event takes at least four times as long, and eight when memory is short
  expect(spentOn(20_000) / spentOn(10_000)).toBeLessThan(4);
});
