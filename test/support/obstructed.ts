import { type Obstacle, obstacles } from '../../src/domain/texts/obstacles.ts';
import { run } from './run-events.ts';

const at = { branch: 'refs/heads/main', path: '/repos/shop', retry: `tidegate land ${run}` };
const [old, found] = ['a'.repeat(40), 'b'.repeat(40)];

/** Each obstacle that a landing can meet in the person's repository, as the merger records it. */
export const obstructed: Record<keyof typeof obstacles, Obstacle> = {
  dirtyCheckout: obstacles.dirtyCheckout({ ...at, files: ['src/cart.ts'] }),
  untracked: obstacles.untracked({ ...at, files: ['.env', 'notes.md'] }),
  unfinished: obstacles.unfinished({ ...at, what: 'rebase' }),
  submodules: obstacles.submodules({ files: ['vendor/lib'] }),
  lfs: obstacles.lfs({ ...at, files: ['logo.psd'] }),
  locked: obstacles.locked({ ...at, files: ['/repos/shop/.git/index.lock'] }),
  noBranch: obstacles.noBranch(at),
  severalTrees: obstacles.severalTrees({ ...at, places: ['/repos/shop', '/repos/shop-2'] }),
  missingTree: obstacles.missingTree(at),
  checkedOut: obstacles.checkedOut(at),
  filesRefused: obstacles.filesRefused({ ...at, said: 'error: unable to create file a.md: Permission denied' }),
  moved: obstacles.moved({ ...at, old, found }),
  movedAndConflicts: obstacles.movedAndConflicts({ branch: 'main', files: ['src/cart.ts'] }),
};
