import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { runGit } from '../process/index.ts';
import { findCheckout } from '../read/index.ts';

/** Where git-lfs keeps the objects of a person's repository: `lfs.storage`, or `lfs` in the common git directory. */
export async function personsStore(
  checkout: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { commonDir } = await findCheckout(checkout);
  const found = await runGit({
    cwd: checkout,
    env: { HOME: environment['HOME'] ?? '/', GIT_CONFIG_GLOBAL: globalConfig(environment) },
    args: ['config', '--type=path', '--get', 'lfs.storage'],
  });
  const named = found.exitCode === 0 ? found.stdout.toString('utf8').trim() : '';
  if (named === '') return join(commonDir, 'lfs');
  return isAbsolute(named) ? named : join(commonDir, named);
}

function globalConfig(environment: Readonly<Record<string, string | undefined>>): string {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = environment;
  if (named !== undefined) return named;
  return existsSync(`${home}/.gitconfig`) ? `${home}/.gitconfig` : `${xdg}/git/config`;
}
