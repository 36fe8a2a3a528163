import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckoutState } from '../../domain/preflight.ts';
import { git, runGit } from '../git-process/index.ts';
import { findCheckout } from './checkout.ts';
import { asPerson } from './persons-environment.ts';
import { splitNul } from './tree.ts';

/**
 * What of a person's checkout no commit holds. Their ignore rules and line ends count, as for their own `git status`; no hook or monitor
 * runs. `owned`: paths at which ignored files are looked for, too.
 */
export async function readCheckoutState(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  owned: readonly string[],
): Promise<CheckoutState> {
  const { toplevel } = await findCheckout(directory);
  return await asPerson(env, async (environment) => {
    const person = { cwd: toplevel, env: environment };
    const options = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
    const lines = splitNul(await git({ ...person, args: ['status', ...options] }));
    const pathsOf = (isNew: boolean) =>
      lines.filter((line) => line.startsWith('??') === isNew).map((line) => line.slice(3));
    const head = await runGit({ ...person, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'] });
    const branch = head.exitCode === 0 ? head.stdout.toString('utf8').trim() : null;
    const untracked = pathsOf(true);
    return { branch, changed: pathsOf(false), untracked, ignored: await ignoredAmong(person, untracked, owned) };
  });
}

async function ignoredAmong(
  person: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  untracked: readonly string[],
  owned: readonly string[],
): Promise<readonly string[]> {
  const there = owned.filter((path) => !untracked.includes(path) && isFile(join(person.cwd, path)));
  if (there.length === 0) return [];
  const tracked = new Set(splitNul(await git({ ...person, args: ['ls-files', '-z', '--', ...there] })));
  return there.filter((path) => !tracked.has(path));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
