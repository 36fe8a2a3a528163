export { type ObjectReader, openObjects } from './batch.ts';
export { BadGitArgument, GitFailed, GitUnusable } from './errors.ts';
export { fastImport, quotedPath } from './fast-import.ts';
export {
  checkGit,
  endOf,
  type GitCall,
  type GitOutput,
  git,
  gitFailure,
  gitLine,
  isNewEnough,
  keepStart,
  launchError,
  objectId,
  refName,
  runGit,
  spawnGit,
} from './run.ts';
