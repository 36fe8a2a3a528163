import { chownSync, lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Bind, fencedWorkspace } from '../../adapters/fence/index.ts';
import { openWay } from '../../adapters/files/agent-files.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { agentConfigNames, agentSteering } from '../../domain/scope/steering.ts';

/**
 * Makes configuration of agents read-only for the agent. A missing path is made first, because only a path that exists can be bound.
 * An empty directory is never in a commit; an empty file is removed when the process is dead. A path that leads through a link is
 * left alone: binding there would follow it.
 */
export function protectPaths(
  files: JobDirectory,
  paths: readonly string[],
  owner: number,
): { readonly binds: readonly Bind[] } {
  const { workspace } = files;
  const safe = paths
    .map((path) => path.replace(/\/+$/, ''))
    .filter((path) => isPlain(path) && !leadsThroughLink(workspace, path) && !isAbsentSteering(workspace, path));
  const missing = [...new Set(safe.flatMap((path) => partsMissing(workspace, path)))];
  if (missing.length > 0) files.writeStandIns(missing);
  for (const path of missing) makeStandIn(join(workspace, path), isFileName(path) && safe.includes(path), owner);
  return {
    binds: safe.map((path) => ({
      source: join(workspace, path),
      target: `${fencedWorkspace}/${path}`,
      access: 'read' as const,
    })),
  };
}

/** Takes away what only stood in for something missing, so that no snapshot ever shows it. Nothing runs any more. */
export function removeStandIns(files: JobDirectory): void {
  for (const path of files.standIns().toReversed()) {
    openWay(files.workspace, path);
    if (!leadsThroughLink(files.workspace, path)) removeStandIn(join(files.workspace, path));
  }
}

/** Most programs of agents read few of these names: one that is not there is left to the gates. */
const isAbsentSteering = (workspace: string, path: string): boolean =>
  agentSteering.includes(path) &&
  !agentConfigNames.includes(path) &&
  lstatSync(join(workspace, path), { throwIfNoEntry: false }) === undefined;

/** Outermost first. */
function partsMissing(workspace: string, path: string): readonly string[] {
  const parts = path.split('/');
  return parts
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .filter((part) => lstatSync(join(workspace, part), { throwIfNoEntry: false }) === undefined);
}

/** `.mcp.json` is a file, `.claude` a directory: the name is all there is to tell. */
const isFileName = (path: string): boolean =>
  extname(path) !== '' || /^([A-Z]+|\.gitignore)$/.test(path.split('/').at(-1) ?? '');

/** An empty JSON file would not parse. */
function makeStandIn(path: string, isFile: boolean, owner: number): void {
  if (isFile) writeFileSync(path, standInContent(path), { flag: 'wx' });
  else mkdirSync(path);
  if (process.getuid?.() === 0) chownSync(path, owner, owner);
}

const standInContent = (path: string): string => (extname(path) === '.json' ? '{}\n' : '');

/** A directory that the agent filled beside ours is its work and stays. */
function removeStandIn(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    rmSync(path);
    return;
  }
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

function leadsThroughLink(workspace: string, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => {
    const stats = lstatSync(join(workspace, ...parts.slice(0, index + 1)), { throwIfNoEntry: false });
    if (stats === undefined) return false;
    return stats.isSymbolicLink() || (index < parts.length - 1 && !stats.isDirectory());
  });
}

const isPlain = (path: string): boolean =>
  path !== '' && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.git');
