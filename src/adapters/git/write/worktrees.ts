import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, gitLine } from '../process/index.ts';
import type { Person } from './person.ts';

/** One working tree of the person's repository. `inProgress` names a merge, rebase … that is not finished there. */
export type Worktree = {
  readonly path: string;
  readonly gitDir: string;
  readonly branch: string | null;
  readonly missing: boolean;
  readonly inProgress: string | null;
};

/** All working trees but bare ones. A branch that is being rebased counts as checked out where that happens. */
export async function listWorktrees(person: Person): Promise<readonly Worktree[]> {
  const listed = await git({ ...person, args: ['worktree', 'list', '--porcelain', '-z'] });
  const blocks = listed
    .toString('utf8')
    .split('\0\0')
    .filter((block) => block !== '');
  const found: Worktree[] = [];
  for (const block of blocks) {
    const fields = block.split('\0');
    const field = (name: string) => fields.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    const path = field('worktree');
    if (path === undefined || fields.includes('bare')) continue;
    const missing = !existsSync(join(path, '.git'));
    const gitDir = missing ? '' : await gitLine({ ...person, cwd: path, args: ['rev-parse', '--absolute-git-dir'] });
    const branch = field('branch') ?? (missing ? null : rebasing(gitDir));
    found.push({ path, gitDir, branch, missing, inProgress: missing ? null : operationIn(gitDir) });
  }
  return found;
}

function rebasing(gitDir: string): string | null {
  const file = ['rebase-merge/head-name', 'rebase-apply/head-name'].map((name) => join(gitDir, name)).find(existsSync);
  return file === undefined ? null : readFileSync(file, 'utf8').trim();
}

function operationIn(gitDir: string): string | null {
  const [, operation] = Object.entries(operations).find(([mark]) => existsSync(join(gitDir, mark))) ?? [];
  return operation ?? null;
}

const operations = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  sequencer: 'cherry-pick or revert',
};
