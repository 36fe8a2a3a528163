import { expect, test } from 'vitest';
import { begun } from '../../../test/support/run-events.ts';
import { runId } from '../../domain/base/ids.ts';
import { foldRun } from '../../domain/run/run.ts';
import { findSubject, type KnownRun } from './find-run.ts';

const known = (name: string, ended = false): KnownRun => {
  const state = foldRun(begun().map((event, at) => ({ seq: at + 1, event })));
  if (state === null) throw new Error('no run');
  return { run: runId(name), state: { ...state, run: runId(name), ended: ended ? 'landed' : null }, stored: [] };
};
const runs = [known('login-aaaa', true), known('login-bbbb'), known('docs-cccc', true)];
const found = (given?: string, otherwise?: 'newest') => {
  const subject = findSubject(runs, given, otherwise);
  return subject.ok ? `${subject.value.run}/${subject.value.task ?? ''}` : subject.error.reason;
};

test.each([
  [undefined, 'login-bbbb/'],
  ['login-aaaa', 'login-aaaa/'],
  ['login-a', 'login-aaaa/'],
  ['d', 'docs-cccc/'],
  // of several that begin so, the live one
  ['login', 'login-bbbb/'],
  ['login-b/hello', 'login-bbbb/hello'],
  ['login-b/he', 'login-bbbb/hello'],
  ['hello', 'login-bbbb/hello'],
])('%s means %s', (given, subject) => {
  expect(found(given)).toBe(subject);
});

test.each([
  ['nothing', 'unknown-run'],
  ['login-b/nothing', 'unknown-task'],
  ['../../etc/passwd', 'bad-id'],
  ['login-bbbb/../x', 'bad-id'],
  ['login-bbbb/hello/x', 'bad-id'],
  ['', 'bad-id'],
  ['-C', 'bad-id'],
])('%j is refused: %s', (given, reason) => {
  expect(found(given)).toBe(reason);
});

test('a name that is nothing here says what there is', () => {
  const said = (of: readonly KnownRun[], given: string) => {
    const subject = findSubject(of, given);
    return subject.ok ? null : subject.error.message;
  };
  const over = [known('login-aaaa', true), known('docs-cccc', true)];
  expect(said(runs, 'helo')).toBe(
    'no run helo; there are login-aaaa, login-bbbb, docs-cccc; tasks of login-bbbb are hello, reply',
  );
  expect(said(over, 'hello')).toBe('no run hello; the last task of that name is docs-cccc/hello');
  expect(said(over, 'helo')).toBe('no run helo; there are login-aaaa, docs-cccc');
});

test('what fits twice is listed, never guessed', () => {
  const two = [...runs, known('login-dddd')];
  expect(findSubject(two, undefined)).toEqual({
    ok: false,
    error: { reason: 'ambiguous', message: 'several runs are live, so say which: login-bbbb, login-dddd' },
  });
  expect(findSubject(two, 'login')).toMatchObject({ ok: false, error: { reason: 'ambiguous' } });
  expect(findSubject(two, 'hello')).toMatchObject({ ok: false });
});

test('F28: the name of a task of the live run is not taken for the beginning of a run', () => {
  const clash = [known('hello-aaaa', true), known('docs-bbbb')];
  expect(findSubject(clash, 'hello')).toMatchObject({ value: { run: 'docs-bbbb', task: 'hello' } });
  expect(findSubject(clash, 'hello-aaaa')).toMatchObject({ value: { run: 'hello-aaaa', task: null } });
});

test('without a live run the newest is meant only by those who look', () => {
  const over = [known('login-aaaa', true), known('docs-cccc', true)];
  expect(findSubject(over, undefined, 'newest')).toMatchObject({ ok: true, value: { run: 'docs-cccc' } });
  expect(findSubject(over, undefined)).toMatchObject({ ok: false, error: { reason: 'no-run' } });
});
