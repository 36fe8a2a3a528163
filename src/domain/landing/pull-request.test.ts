import { describe, expect, test } from 'vitest';
import { commitId } from '../base/ids.ts';
import {
  listArguments,
  openArguments,
  openerFor,
  pullRequestCommand,
  type RequestTerms,
  repositoryAt,
  withoutCredentials,
} from './pull-request.ts';

test.each([
  ['https://github.com/ada/shop.git', 'github.com', 'ada/shop'],
  ['https://ada:hunter2@github.com/ada/shop', 'github.com', 'ada/shop'],
  ['git@github.com:ada/shop.git', 'github.com', 'ada/shop'],
  ['ssh://git@gitlab.example.com:2222/team/sub/shop.git/', 'gitlab.example.com', 'team/sub/shop'],
])('%s names %s and %s', (address, host, repository) => {
  expect(repositoryAt(address)).toEqual({ host, repository });
});

test.each(['/srv/git/shop.git', '../shop', 'file:///srv/git/shop.git', 'shop'])('%s names no host', (address) => {
  expect(repositoryAt(address)).toBe(null);
});

test.each([
  ['github.com', 'gh'],
  ['github.example.com', 'gh'],
  ['gitlab.com', 'glab'],
  ['my-gitlab.example.com', 'glab'],
  ['git.example.com', null],
  ['notgithub.com', null],
])('pull requests at %s are opened by %s', (host, opener) => {
  expect(openerFor(host)).toBe(opener);
});

test.each([
  ["fatal: unable to access 'https://ada:ghp_x@github.com/a/b/'", "fatal: unable to access 'https://github.com/a/b/'"],
  ['remote: https://token@host/x and ssh://git@host/y', 'remote: https://host/x and ssh://host/y'],
  ['https://ada:p@ss:word@host/x', 'https://host/x'],
  ['see https://host/a@b', 'see https://host/a@b'],
  ['mail ada@example.com', 'mail ada@example.com'],
])('credentials are left out of %j', (text, clean) => {
  expect(withoutCredentials(text)).toBe(clean);
});

const here = { host: 'github.com', repository: 'ada/shop' };
const terms: RequestTerms = { opener: 'gh', branch: 'tidegate/x-1', base: 'main', head: here, target: here };

describe('arguments', () => {
  test('of gh name the repository, so that it asks nothing', () => {
    expect(openArguments(terms, 'A', 'B').join(' ')).toBe(
      'pr create --repo github.com/ada/shop --base main --head tidegate/x-1 --title A --body-file -',
    );
    expect(listArguments(terms)).toContain('github.com/ada/shop');
  });

  test('from a fork name its owner', () => {
    const fork = { ...terms, head: { ...here, repository: 'bob/shop' } };
    expect(openArguments(fork, 'A', 'B')).toContain('bob:tidegate/x-1');
    expect(openArguments({ ...fork, opener: 'glab' }, 'A', 'B').join(' ')).toContain('--head bob/shop');
  });
});

test.each([
  [{ remote: 'origin', ...here }, 'gh pr create --repo github.com/ada/shop --base main --head tidegate/x-1 --fill'],
  [
    { remote: 'mine', ...here, repository: 'bob/shop', upstream: 'ada/shop' },
    'gh pr create --repo github.com/ada/shop --base main --head bob:tidegate/x-1 --fill',
  ],
  [{ remote: 'origin', host: null, repository: null }, 'git request-pull main origin tidegate/x-1'],
])('the command for %j', (pushed, command) => {
  const offer = { branch: 'tidegate/x-1', new: commitId('a'.repeat(40)), pushed, url: null };
  expect(pullRequestCommand(offer, 'main')).toBe(command);
});
