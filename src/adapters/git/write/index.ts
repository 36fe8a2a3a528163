export { mergeForPerson } from './both-sides.ts';
export {
  areRelated,
  commitsBetween,
  commitsTouching,
  deliver,
  forgetArrival,
  isAncestor,
  isPlainBranch,
  objectsBeyondBranches,
} from './exchange.ts';
export {
  absent,
  type Change,
  type Commit,
  internalAuthor,
  mergeTrees,
  mustReadCommit,
  readChanges,
  readCommit,
  readCommits,
  readManyChanges,
  takeBack,
  writeBlob,
  writeCommit,
} from './objects.ts';
export { keepReachable, moveRef, prepareMove, readRef, zeroId } from './refs.ts';
export { findRemote, pushCommit, pushLfs, type Remote, remoteTip } from './remote.ts';
export { compareFiles } from './side-hunks.ts';
export { isTidy, writeStack } from './stack.ts';
export {
  dirtyPaths,
  hashBytes,
  hashFiles,
  type IndexEntry,
  listWorktrees,
  openPerson,
  type Person,
  readIndex,
  restoreFromIndex,
  switchTree,
  type Worktree,
} from './working-tree.ts';
