import { commitId } from '../../src/domain/base/ids.ts';
import type { FindingOf } from '../../src/domain/findings/finding.ts';
import type { ObstacleRules } from '../../src/domain/findings/landing-rules.ts';
import { run } from './run-events.ts';

const [ref, worktree] = ['refs/heads/main', '/repos/shop'];
const [expected, actual] = [commitId('a'.repeat(40)), commitId('b'.repeat(40))];

/** Each obstacle that a landing can meet in the person's repository, as the merger records it. */
export const obstructed: { readonly [K in keyof ObstacleRules]: FindingOf<K> } = {
  'dirty-checkout': { rule: 'dirty-checkout', worktree, files: ['src/cart.ts'] },
  'untracked-files': { rule: 'untracked-files', worktree, files: ['.env', 'notes.md'] },
  'operation-unfinished': { rule: 'operation-unfinished', worktree, operation: 'rebase' },
  'submodules-move': { rule: 'submodules-move', files: ['vendor/lib'] },
  'lfs-unusable': { rule: 'lfs-unusable', files: ['logo.psd'] },
  'git-locked': { rule: 'git-locked', files: ['/repos/shop/.git/index.lock'] },
  'not-a-branch': { rule: 'not-a-branch', ref },
  'several-worktrees': { rule: 'several-worktrees', ref, worktrees: ['/repos/shop', '/repos/shop-2'] },
  'worktree-missing': { rule: 'worktree-missing', ref, worktree },
  'branch-checked-out': { rule: 'branch-checked-out', ref, worktree },
  'files-refused': { rule: 'files-refused', words: 'error: unable to create file a.md: Permission denied' },
  'branch-moved': { rule: 'branch-moved', ref, expected, actual },
  'branch-gone': { rule: 'branch-gone', branch: 'main' },
  'landing-cut-off': {
    rule: 'landing-cut-off',
    run,
    ref,
    old: expected,
    new: actual,
    worktree,
    fault: 'index-mixed',
    files: ['src/cart.ts'],
  },
};
