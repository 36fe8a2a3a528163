import { err, ok, type Result } from '../../domain/result.ts';
import { runGit } from '../git-process/index.ts';
import type { Identity, Signing } from './objects.ts';

export type Author = { readonly by: Identity; readonly signing: Signing | undefined };

/**
 * Who the person is by their own git configuration, and how they sign if they do. This is the one place where that
 * configuration, including the global one, counts for commits; `env` is theirs.
 */
export async function readAuthor(
  checkout: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<Author, string>> {
  const setting = async (key: string, type: readonly string[] = []): Promise<string | undefined> => {
    const done = await runGit({ cwd: checkout, env, args: ['config', ...type, '--get', key] });
    const value = done.stdout.toString('utf8').trim();
    return done.exitCode === 0 && value !== '' ? value : undefined;
  };
  const name = env['GIT_AUTHOR_NAME'] ?? (await setting('user.name'));
  const email = env['GIT_AUTHOR_EMAIL'] ?? (await setting('user.email'));
  if (name === undefined || email === undefined)
    return err(
      'git does not know who you are, and merged commits carry your name. ' +
        'Set it with: git config --global user.name "Your Name" && git config --global user.email you@example.com',
    );
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

const signingKeys = [
  'user.signingKey',
  'gpg.format',
  'gpg.program',
  'gpg.openpgp.program',
  'gpg.ssh.program',
  'gpg.ssh.defaultKeyCommand',
  'gpg.x509.program',
];
