import type { FindingOf } from '../../domain/findings/finding.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { runGit } from '../git-process/index.ts';

export type Identity = { readonly name: string; readonly email: string };

/** How a person signs: their settings and what their key program needs from the environment. */
export type Signing = { readonly config: readonly string[]; readonly env: Readonly<Record<string, string>> };

export type Author = { readonly by: Identity; readonly signing: Signing | undefined };

/**
 * Who the person is by their own git configuration, and how they sign if they do. This is the one place where that
 * configuration, including the global one, counts for commits; `env` is theirs.
 */
export async function readAuthor(
  checkout: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<Author, FindingOf<'author'>>> {
  const setting = (key: string, type: readonly string[] = []) => readSetting(checkout, env, key, type);
  const name = env['GIT_AUTHOR_NAME'] ?? (await setting('user.name'));
  const email = env['GIT_AUTHOR_EMAIL'] ?? (await setting('user.email'));
  if (name === undefined || email === undefined) return err({ rule: 'author' });
  if ((await setting('commit.gpgsign', ['--type=bool'])) !== 'true')
    return ok({ by: { name, email }, signing: undefined });
  const config = await Promise.all(
    signingKeys.map(async (key) => {
      const value = await setting(key);
      return value === undefined ? [] : [`${key}=${value}`];
    }),
  );
  return ok({ by: { name, email }, signing: { config: config.flat(), env } });
}

/** The same question before anything is begun, where nothing may be written: over the files that a person may have. */
export async function isAuthorKnown(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = env;
  const files = named === undefined ? [`${home}/.gitconfig`, `${xdg}/git/config`] : [named];
  const isSet = async (variable: string, key: string): Promise<boolean> => {
    if (env[variable] !== undefined) return true;
    for (const file of files) {
      const from = { HOME: home, GIT_CONFIG_GLOBAL: file, GIT_CONFIG_NOSYSTEM: '0' };
      if ((await readSetting(checkout, from, key, [])) !== undefined) return true;
    }
    return false;
  };
  return (await isSet('GIT_AUTHOR_NAME', 'user.name')) && (await isSet('GIT_AUTHOR_EMAIL', 'user.email'));
}

async function readSetting(
  checkout: string,
  env: Readonly<Record<string, string>>,
  key: string,
  type: readonly string[],
): Promise<string | undefined> {
  const done = await runGit({ cwd: checkout, env, args: ['config', ...type, '--get', key] });
  const value = done.stdout.toString('utf8').trim();
  return done.exitCode === 0 && value !== '' ? value : undefined;
}

const signingKeys = [
  'user.signingKey',
  'gpg.format',
  'gpg.program',
  'gpg.openpgp.program',
  'gpg.ssh.program',
  'gpg.ssh.defaultKeyCommand',
  'gpg.x509.program',
];
