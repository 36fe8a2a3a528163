import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckoutState } from '../../../domain/gates/preflight.ts';
import { git, runGit } from '../process/index.ts';
import { findCheckout } from './checkout.ts';
import { asPerson } from './persons-environment.ts';
import { splitNul } from './tree.ts';

/**
 * What of a person's checkout no commit holds. Their ignore rules and line ends count, as for their own `git status`; no hook, monitor or
 * filter but that of LFS runs. `owned`: paths at which ignored files are looked for, too.
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
    const config = await withoutFilters(person);
    const lines = splitNul(await git({ ...person, config, args: ['status', ...options] }));
    const pathsOf = (isNew: boolean) =>
      lines.filter((line) => line.startsWith('??') === isNew).map((line) => line.slice(3));
    const head = await runGit({ ...person, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'] });
    const branch = head.exitCode === 0 ? head.stdout.toString('utf8').trim() : null;
    const untracked = pathsOf(true);
    return { branch, changed: pathsOf(false), untracked, ignored: await ignoredAmong(person, untracked, owned) };
  });
}

type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

/** Settings that switch every filter off that the person has configured, but for LFS: without it each of its files would seem changed. */
async function withoutFilters(person: Place): Promise<readonly string[]> {
  const args = ['config', '--name-only', '--null', '--get-regexp', '^filter\\..*\\.(clean|process)$'];
  const { stdout } = await runGit({ ...person, args });
  const names = stdout
    .toString('utf8')
    .split('\0')
    .map((key) => key.replace(/^filter\./, '').replace(/\.(clean|process)$/, ''));
  return [...new Set(names)]
    .filter((name) => name !== '' && name !== 'lfs' && !name.includes('='))
    .flatMap((name) => [`filter.${name}.clean=`, `filter.${name}.process=`, `filter.${name}.required=false`]);
}

async function ignoredAmong(
  person: Place,
  untracked: readonly string[],
  owned: readonly string[],
): Promise<readonly string[]> {
  const there = owned.filter((path) => !untracked.includes(path) && isFile(join(person.cwd, path)));
  if (there.length === 0) return [];
  const tracked = new Set(splitNul(await git({ ...person, args: ['ls-files', '-z', '--', ...there] })));
  return there.filter((path) => !tracked.has(path));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
