import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Finding } from '../../../domain/findings/finding.ts';
import { skippableHooks } from '../../../domain/findings/repository-rules.ts';
import { runGit } from '../process/index.ts';
import { findCheckout } from './checkout.ts';

/**
 * The person's hooks that would run if they made the commits of a run themselves, or with `pushes` the push: ours run none.
 * Those of git-lfs are left out: we do what they do.
 */
export async function findSkippedHooks(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
  { pushes }: { readonly pushes: boolean },
): Promise<Finding | null> {
  const directory = await hooksDirectory(checkout, env);
  const hooks = skippableHooks.filter((name) => (pushes || name !== 'pre-push') && isOwn(join(directory, name), name));
  return hooks.length === 0 ? null : { rule: 'hooks-skipped', hooks, directory };
}

/** By `core.hooksPath` of the repository or of the person; husky keeps what people wrote beside the directory that it names. */
async function hooksDirectory(checkout: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { commonDir, toplevel } = await findCheckout(checkout);
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = env;
  const files = named === undefined ? [`${home}/.gitconfig`, `${xdg}/git/config`] : [named];
  const sources = [['--local'], ...files.filter(existsSync).map((file) => ['--file', file])];
  for (const source of sources) {
    const args = ['config', ...source, '--type=path', '--get', 'core.hooksPath'];
    const found = await runGit({ cwd: toplevel, env: { HOME: home }, args });
    const path = found.exitCode === 0 ? found.stdout.toString('utf8').trim() : '';
    if (path === '') continue;
    const whole = isAbsolute(path) ? path : join(toplevel, path);
    return basename(whole) === '_' ? dirname(whole) : whole;
  }
  return join(commonDir, 'hooks');
}

function isOwn(file: string, name: string): boolean {
  try {
    // husky runs files that are not executable
    if (!file.includes('/.husky/')) accessSync(file, constants.X_OK);
    return !readFileSync(file, 'utf8').includes(`git lfs ${name}`);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP'].includes(code)) return false;
    throw error;
  }
}
