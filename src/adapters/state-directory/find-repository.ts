import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { absentAsNull } from '../files/absent.ts';

export type Repository = {
  /** The checkout around the working directory; it may be a linked worktree. */
  readonly toplevel: string;
  /** `.git` of the repository itself, shared by all its worktrees: what identifies it. */
  readonly commonDir: string;
};

/**
 * Finds the repository around `from` by looking upwards. Runs no git and reads no git variable,
 * so that neither a hostile configuration nor the environment can point us elsewhere.
 */
export async function findRepository(from: string): Promise<Result<Repository, string>> {
  const start = await realpath(from).catch(absentAsNull);
  if (start === null) return err(`${from} does not exist`);
  if (!(await stat(start)).isDirectory()) return err(`${from} is not a directory`);
  for (let directory = start; ; directory = dirname(directory)) {
    const gitDir = await gitDirOf(join(directory, '.git'));
    if (gitDir !== null) return ok({ toplevel: directory, commonDir: await commonDirOf(gitDir) });
    if (await isGitDir(directory)) return err(`${directory} is a bare repository; Tidegate needs a checkout`);
    if (directory === dirname(directory))
      return err(`${from} is not in a git repository. Change to one, or use -C <dir>`);
  }
}

/** `.git` is a directory, or in a linked worktree or submodule a file that names one. */
async function gitDirOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(absentAsNull);
  if (found === null) return null;
  if (found.isDirectory()) return (await isGitDir(path)) ? await realpath(path) : null;
  const named = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(path, 'utf8'))?.[1];
  if (named === undefined) return null;
  const target = await realpath(resolve(dirname(path), named)).catch(absentAsNull);
  return target !== null && (await isGitDir(target)) ? target : null;
}

async function commonDirOf(gitDir: string): Promise<string> {
  const named = await readFile(join(gitDir, 'commondir'), 'utf8').catch(absentAsNull);
  return named === null ? gitDir : await realpath(resolve(gitDir, named.trimEnd()));
}

async function isGitDir(path: string): Promise<boolean> {
  const head = await stat(join(path, 'HEAD')).catch(absentAsNull);
  if (head === null) return false;
  const objects = await stat(join(path, 'objects')).catch(absentAsNull);
  const common = await stat(join(path, 'commondir')).catch(absentAsNull);
  return objects?.isDirectory() === true || common !== null;
}
