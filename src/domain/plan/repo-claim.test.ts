import { expect, test } from 'vitest';
import { frozenPlan, plannedTask } from '../../../test/support/plans.ts';
import { plainRemote, repoClaim, repoClaims } from './repo-claim.ts';

test('addresses of one repository are the same, whatever scheme, user, port and ending they have', () => {
  const same = [
    'https://example.org/team/shop',
    'https://token@example.org/team/shop.git',
    'git@example.org:team/shop.git',
    'ssh://git@example.org:2222/team/shop/',
    'EXAMPLE.org/team/shop',
  ];
  expect(new Set(same.map(plainRemote))).toEqual(new Set(['example.org/team/shop']));
  expect(plainRemote('https://example.org/team/Shop')).not.toBe('example.org/team/shop');
  expect(plainRemote('/srv/git/shop.git')).toBe('/srv/git/shop');
});

test('a text alone is a root commit if it looks like one, else a remote', () => {
  expect(repoClaim('1a2b3c4d')).toEqual({ root: '1a2b3c4d', remote: null });
  expect(repoClaim('example.org/shop')).toEqual({ root: null, remote: 'example.org/shop' });
  expect(repoClaim(null)).toEqual({ root: null, remote: null });
});

test('a task says its own, and what it leaves open is as the plan says', () => {
  const tasks = [plannedTask('a'), { ...plannedTask('b'), repo: { root: null, remote: 'y' } }];
  expect(repoClaims(frozenPlan([tasks]))).toEqual([{ task: 'b', root: null, remote: 'y' }]);
  expect(repoClaims(frozenPlan([tasks], { repo: { root: '1234567', remote: 'x' } }))).toEqual([
    { task: 'a', root: '1234567', remote: 'x' },
    { task: 'b', root: '1234567', remote: 'y' },
  ]);
});
