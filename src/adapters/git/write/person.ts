import { runGit } from '../process/index.ts';

/** How git is called in the person's own repository: hardened, but with their configuration where it makes their files. */
export type Person = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: readonly string[];
};

/**
 * The person's global configuration and attributes count here, because they decide which bytes a file has in their
 * working tree (line ends, LFS). Hooks and monitors stay off.
 */
export async function openPerson(checkout: string, env: Readonly<Record<string, string>>): Promise<Person> {
  const own = { ...env, GIT_ATTR_NOSYSTEM: '0' };
  const args = ['config', '--global', '--includes', '--type=path', '--get', 'core.attributesFile'];
  const found = await runGit({ cwd: checkout, env: own, args });
  const home = env['XDG_CONFIG_HOME'] ?? `${env['HOME'] ?? ''}/.config`;
  const attributes = found.exitCode === 0 ? found.stdout.toString('utf8').trim() : `${home}/git/attributes`;
  return {
    cwd: checkout,
    env: own,
    config: [`core.attributesFile=${attributes}`, 'core.untrackedCache=keep', ...durable],
  };
}

/** Git does not sync refs by itself; a ref that the ledger calls moved must survive a power cut. */
export const durable: readonly string[] = ['core.fsync=all', 'core.fsyncMethod=fsync'];
