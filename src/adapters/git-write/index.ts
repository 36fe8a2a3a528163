export { type Author, readAuthor } from './identity.ts';
export {
  absent,
  type Change,
  type Commit,
  epochStart,
  mergeTrees,
  mustReadCommit,
  nobody,
  type Person,
  readChanges,
  readCommit,
  type Signing,
  takeBack,
  writeCommit,
} from './objects.ts';
export { durable, keepReachable, type Moved, moveRef, type Place, readRef, zeroId } from './refs.ts';
