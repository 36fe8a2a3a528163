export { mergeForPerson } from './both-sides.ts';
export { absent, type Change, readChanges, readManyChanges } from './changes.ts';
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
  type Commit,
  internalAuthor,
  mergeTrees,
  mustReadCommit,
  readCommit,
  readCommits,
  takeBack,
  writeBlob,
  writeCommit,
} from './objects.ts';
export { openPerson, type Person } from './person.ts';
export { prepareMove } from './ref-transaction.ts';
export { keepReachable, moveRef, readRef, zeroId } from './refs.ts';
export { findRemote, pushCommit, pushLfs, type Remote, remoteTip } from './remote.ts';
export { isTidy, writeStack } from './stack.ts';
export {
  dirtyPaths,
  hashBytes,
  hashFiles,
  type IndexEntry,
  readIndex,
  restoreFromIndex,
  switchTree,
} from './working-tree.ts';
export { listWorktrees, type Worktree } from './worktrees.ts';
