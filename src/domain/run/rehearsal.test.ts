import { describe, expect, test } from 'vitest';
import { ended } from '../../../test/support/plans.ts';
import { diagnose, type RehearsalProblem } from './rehearsal.ts';

const exited = (code: number): RehearsalProblem['ending'] => ({ reason: 'exited', code, signal: null });
const check = (tail: string, more: Partial<RehearsalProblem> = {}): RehearsalProblem => ({
  check: 'test',
  command: 'npm test',
  ending: exited(1),
  tail,
  branch: 'main',
  setup: 'npm ci',
  ...more,
});

describe('what failed in a rehearsal is told with what to do', () => {
  test.each<[string, RehearsalProblem, RegExp]>([
    ['a red base', check('1 failing\n'), /^it fails on main as it is, and no run starts from there/],
    ['a missing program', check('sh: 1: pnpm: not found\n', { ending: exited(127) }), /^pnpm is not there inside/],
    [
      'another shell’s words',
      check('/bin/sh: line 1: go: command not found\n'),
      /^go is not there .* setup install it/,
    ],
    [
      'a program that the fence does not have',
      check('', {
        ending: ended('launch-failed', { rule: 'program-missing', program: 'uv' }),
      }),
      /^uv is not there/,
    ],
    [
      'no network',
      check('Error: getaddrinfo EAI_AGAIN registry.npmjs.org\n'),
      /^checks have no network: download what they need in setup/,
    ],
    ['no network for curl', check('curl: (6) Could not resolve host: x.org\n'), /^checks have no network/],
    ['no network for setup', check('ENOTFOUND x.org', { check: null }), /^setup has network, .*HTTPS_PROXY/],
    ['a place that is not its own', check("EROFS: read-only file system, mkdir '/var/x'"), /fence: \{ write:/],
    ['no setup', check("Error: Cannot find module 'vitest'", { setup: null }), /^dependencies are missing/],
    ['an environment', check('Missing environment variable DATABASE_URL'), /^checks see what is committed/],
    ['time', check('', { ending: { reason: 'timed-out', code: null, signal: 'SIGKILL' } }), /minutes: 30/],
    ['a setup', check('boom', { check: null, command: 'make deps' }), /^try it by itself .*: make deps$/],
  ])('%s', (_name, problem, fix) => {
    expect(diagnose(problem).fix).toMatch(fix);
  });

  test('and with the last lines of what it printed', () => {
    const tail = `${Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n\n')}\n\n`;
    const { found, lines } = diagnose(check(tail));
    expect(found).toBe('npm test: exit 1');
    expect(lines).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((index) => `line ${index}`));
  });
});
