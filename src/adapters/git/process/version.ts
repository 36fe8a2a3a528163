import { oldestGit } from '../../../domain/explain/commands.ts';
import { GitUnusable } from './errors.ts';
import { gitLine } from './run.ts';

const oldest = oldestGit.split('.').map(Number);

/** The version of the git on our path, such as `2.39.5`. Rejects with `GitUnusable` when there is none. */
export async function gitVersion(): Promise<string> {
  const text = await gitLine({ args: ['version'] });
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? text;
}

/** Resolves with the version when git is there and new enough; rejects with `GitUnusable` otherwise. */
export async function checkGit(): Promise<string> {
  const version = await gitVersion();
  if (!isNewEnough(version)) throw new GitUnusable({ rule: 'git-too-old', version });
  return version;
}

export function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
