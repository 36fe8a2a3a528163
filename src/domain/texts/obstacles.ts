import { shellWord } from '../shell-word.ts';
import { onOneLine } from './told.ts';

/** Why the person's branch stays where it is: what is in the way, and what they can do. Nothing was changed. */
export type Obstacle = {
  readonly why: string;
  readonly files: readonly string[];
  readonly fix: string;
  /** The branch itself moved: not for a person to clear away, the coordinator looks at it again. */
  readonly moved?: true;
};

type Files = { readonly files: readonly string[] };
/** The command that tries again. */
type Retry = { readonly retry: string };
type Branch = { readonly branch: string };
/** The working tree that has the branch. */
type Place = { readonly path: string };

/** All that can be in the way in the person's own repository, seen before anything is touched. */
export const obstacles = {
  dirtyCheckout: ({ path, files, retry }: Place & Files & Retry): Obstacle => ({
    why: `you have changes in ${path} that this would overwrite; they are untouched`,
    files,
    fix: onOneLine(`commit them or put them aside (git -C ${shellWord(path)} stash)`, retry),
  }),
  untracked: ({ path, files, retry }: Place & Files & Retry): Obstacle => ({
    why: `files in ${path} that git does not track, ignored ones too, are where new files would go; they are untouched`,
    files,
    fix: onOneLine('move them away', retry),
  }),
  unfinished: ({ path, what, retry }: Place & Retry & { readonly what: string }): Obstacle => ({
    why: `a ${what} is not finished in ${path}`,
    files: [],
    fix: onOneLine(`finish it (git ${what.split(' ')[0]} --continue) or give it up (--abort) there`, retry),
  }),
  submodules: ({ files }: Files): Obstacle => ({
    why: 'submodules would have to move',
    files,
    fix: 'update the submodules by hand',
  }),
  lfs: ({ files, retry }: Files & Retry): Obstacle => ({
    why: 'your git configuration requires git-lfs (filter.lfs.required), which cannot be run; your files are untouched',
    files,
    fix: onOneLine('install git-lfs', retry),
  }),
  locked: ({ files, retry }: Files & Retry): Obstacle => ({
    why: 'another git command is at work in your repository, or was killed there',
    files,
    fix: onOneLine('when no git runs any more, remove the lock files', retry),
  }),
  noBranch: ({ branch }: Branch): Obstacle => ({
    why: `${branch} is not a branch`,
    files: [],
    fix: 'land on a branch',
  }),
  severalTrees: ({ branch, places, retry }: Branch & Retry & { readonly places: readonly string[] }): Obstacle => ({
    why: `${branch} is checked out in several working trees: ${places.join(', ')}`,
    files: [],
    fix: onOneLine('leave it checked out in one of them', retry),
  }),
  missingTree: ({ branch, path, retry }: Branch & Place & Retry): Obstacle => ({
    why: `${branch} is checked out in ${path}, which is not there`,
    files: [],
    fix: onOneLine('git worktree prune, or bring it back', retry),
  }),
  checkedOut: ({ branch, path }: Branch & Place): Obstacle => ({
    why: `${branch} is checked out in ${path}`,
    files: [],
    fix: 'check out another branch there',
  }),
  filesRefused: ({ said, retry }: Retry & { readonly said: string }): Obstacle => ({
    why: `git will not change the files: ${said}`,
    files: [],
    fix: retry,
  }),
  moved: ({
    branch,
    found,
    old,
    retry,
  }: Branch & Retry & Readonly<Record<'found' | 'old', string | null>>): Obstacle => ({
    why: `${branch} is at ${found ?? 'nothing'} instead of ${old ?? 'nothing'}: somebody moved it`,
    files: [],
    fix: retry,
    moved: true,
  }),
  movedAndConflicts: ({ branch, files }: Branch & Files): Obstacle => ({
    why: `${branch} moved and conflicts with the run`,
    files,
    fix: 'tidegate conflicts',
  }),
};
