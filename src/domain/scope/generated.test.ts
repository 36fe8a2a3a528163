import { describe, expect, test } from 'vitest';
import { added, ended, exited, log, plan, snapshot } from '../../../test/support/plans.ts';
import { describeFinding } from '../explain/explain.ts';
import type { Finding } from '../findings/finding.ts';
import type { GeneratorOutcome } from '../gates/evidence.ts';
import { generatorFailure, generators } from './claims.ts';

const frozen = plan([{ a: {} }], {
  generated: { 'z.lock': 'make locks', 'docs/list.txt': 'ls', 'a.lock': 'make locks' },
});
const outcome = (change: Partial<GeneratorOutcome>): GeneratorOutcome => ({
  ending: exited(0),
  snapshot: snapshot('x', ['a.lock', 'elsewhere.txt']),
  log,
  tail: 'one\nls: exit 3\n',
  ...change,
});
const told = (finding: Finding | null): string | null => finding && describeFinding(finding);
const left = (change: Partial<NonNullable<GeneratorOutcome['snapshot']>>) =>
  told(generatorFailure(frozen, outcome({ snapshot: { ...snapshot('x', []), ...change } })));

test('each command runs once, in the order of the paths', () => {
  expect(generators(frozen)).toEqual(['make locks', 'ls']);
});

describe('what the commands left', () => {
  test('stands when they ended well, whatever else they changed', () => {
    expect(generatorFailure(frozen, outcome({}))).toBeNull();
    expect(left({ diff: [{ ...added('a.lock'), change: 'deleted', newMode: '000000' }] })).toBeNull();
    expect(left({ refused: [{ rule: 'special-file', kind: 'FIFO', where: 'elsewhere' }] })).toBeNull();
  });

  test.each([
    [exited(3), ''],
    [{ ...exited(0), code: null, signal: 'SIGSEGV' }, '`make locks`, `ls` was killed by SIGSEGV; '],
    [ended('timed-out'), '`make locks`, `ls` took longer than 10 minutes; '],
    [
      ended('launch-failed', { rule: 'program-missing', program: 'make' }),
      '`make locks`, `ls` could not run (launch-failed: the program make does not exist inside the fence); ',
    ],
  ])('does not stand after %j, and the command and its last words are told', (ending, how) => {
    expect(told(generatorFailure(frozen, outcome({ ending })))).toBe(`${how}one; ls: exit 3`);
  });

  test('does not stand without a snapshot', () => {
    expect(told(generatorFailure(frozen, outcome({ snapshot: null })))).toMatch('snapshotted');
  });

  test('does not stand when a generated path is a link, holds a secret, could not be read or displaces another file', () => {
    expect(left({ diff: [{ ...added('a.lock'), newMode: '120000' }] })).toBe('a.lock is not a regular file');
    expect(left({ secrets: [{ rule: 'private-key', where: 'z.lock' }] })).toBe(
      'z.lock: the added content contains a secret (private-key)',
    );
    expect(left({ refused: [{ rule: 'too-deep', where: 'docs' }] })).toBe(
      'docs: the path is too long to be checked out',
    );
    const displaced = { ...added('docs'), change: 'deleted', newMode: '000000' } as const;
    expect(left({ diff: [displaced, added('docs/list.txt')] })).toMatch('would replace docs');
  });
});
