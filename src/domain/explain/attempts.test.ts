import { describe, expect, test } from 'vitest';
import type { Finding } from '../findings/finding.ts';
import { describeFinding, describeTrouble, describeWithFix, explain } from './explain.ts';

describe('why an attempt ended', () => {
  test.each<[Finding, string]>([
    [{ rule: 'time-limit', minutes: 1 }, 'the time limit of 1 minute was reached'],
    [{ rule: 'silence-limit', minutes: 30 }, 'no output for 30 minutes'],
    [{ rule: 'not-begun', because: { rule: 'stop-requested' } }, 'stopped on request before it started'],
    [
      { rule: 'fence-breached', breaches: [{ breach: 'root' }, { breach: 'wrote-outside', at: '/x' }] },
      'the fence does not hold: runs as root; wrote /x',
    ],
    [
      { rule: 'setup-failed', command: 'npm ci', code: null, signal: 'SIGKILL', words: 'no space' },
      'setup (npm ci) ended with SIGKILL: no space',
    ],
    [{ rule: 'fence-not-started', words: ['spawn bwrap ENOENT', ''] }, 'spawn bwrap ENOENT'],
    [{ rule: 'supervisor-unable', words: '' }, 'the supervisor failed: it printed nothing'],
    [
      { rule: 'exit', reason: 'launch-failed', code: null, signal: null, because: { rule: 'no-coordinator' } },
      'launch-failed: no coordinator was running',
    ],
    [
      { rule: 'exit', reason: 'exited', code: 1, signal: null, trouble: 'overloaded', words: '529' },
      'exit 1 (overloaded: 529)',
    ],
    [{ rule: 'handoff-valid', because: { rule: 'handoff-schema', fault: 'list', key: 'files' } }, filesMisfit()],
  ])('%j', (finding, sentence) => {
    expect(describeFinding(finding)).toBe(sentence);
  });

  test('a missing login names the file, the variables and the command that helps', () => {
    const variables = ['ANTHROPIC_API_KEY'];
    const because = { rule: 'not-logged-in', program: 'claude', file: '/home/ann/x', variables } as const;
    const told =
      'claude is not logged in: there is no /home/ann/x, and ANTHROPIC_API_KEY is not set; fix: tidegate auth claude';
    expect(describeWithFix(because)).toBe(told);
    expect(describeTrouble({ kind: 'needs-login', until: null, words: '', because })).toBe(told);
    const ended = { reason: 'launch-failed', code: null, signal: null, trouble: 'needs-login' } as const;
    expect(explain({ rule: 'exit', ...ended, because }).fix).toBe('tidegate auth claude');
  });
});

function filesMisfit(): string {
  return 'the handoff does not match its schema: files must be a list of at most 200 texts of at most 1000 characters';
}
