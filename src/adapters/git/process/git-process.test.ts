import { describe, expect, test } from 'vitest';
import {
  BadGitArgument,
  checkGit,
  GitFailed,
  GitUnusable,
  git,
  isNewEnough,
  objectId,
  refName,
  runGit,
} from './index.ts';

describe('a git call', () => {
  test('sees nothing of our own environment and configuration', async () => {
    const shown = await git({ args: ['config', '--list', '--show-scope', '--name-only'] });
    const scopes = new Set(
      String(shown)
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]),
    );
    expect([...scopes]).toEqual(['command']);
  });

  test('that says no is data for runGit and GitFailed for git', async () => {
    const call = { gitDir: '/nonexistent', args: ['rev-parse', 'HEAD'] };
    expect((await runGit(call)).exitCode).toBe(128);
    await expect(git(call)).rejects.toMatchObject({ name: 'GitFailed', exitCode: 128 });
  });

  test('with too much output is ended', async () => {
    await expect(git({ args: ['help', '-a'], maxOutput: 100 })).rejects.toThrow('printed more than 100 bytes');
  });

  test('can be aborted', async () => {
    await expect(git({ args: ['cat-file', '--batch'], signal: AbortSignal.abort() })).rejects.toThrow(GitFailed);
  });

  test('without git says what to install', async () => {
    const failed = git({ args: ['version'], env: { PATH: '/nonexistent' } });
    await expect(failed).rejects.toThrow(GitUnusable);
    await expect(failed).rejects.toMatchObject({ finding: { rule: 'git-missing' } });
  });
});

test('the installed git is new enough', async () => {
  expect(isNewEnough(await checkGit())).toBe(true);
});

test.each([
  ['2.39.4', true],
  ['2.39.3', false],
  ['2.40', true],
  ['3.0.0', true],
  ['2.9.9', false],
  ['1.99.99', false],
])('git %s is new enough: %s', (version, expected) => expect(isNewEnough(version)).toBe(expected));

test.each(['', 'HEAD', '--all', 'a'.repeat(39), 'A'.repeat(40), `${'a'.repeat(40)}\n`, 'a'.repeat(41)])(
  '%j is not taken for an object id',
  (id) => expect(() => objectId(id)).toThrow(BadGitArgument),
);

test.each([
  'HEAD',
  'refs/',
  'refs/a..b',
  'refs/a.lock',
  'refs//a',
  'refs/a/',
  'refs/.a',
  'refs/a b',
  'refs/a\n',
  'refs/-a',
])('%j is not taken for a ref', (name) => expect(() => refName(name)).toThrow(BadGitArgument));

test('refs of attempts are refs', () => {
  expect(refName('refs/tidegate/attempts/run-ab12.task-1.2')).toBe('refs/tidegate/attempts/run-ab12.task-1.2');
});
