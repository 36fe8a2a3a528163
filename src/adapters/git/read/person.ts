import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { runGit } from '../process/index.ts';

export type Identity = { readonly name: string; readonly email: string };

/** A person's settings for signing, and the variables that their key program needs. */
export type Signing = { readonly config: readonly string[]; readonly env: Readonly<Record<string, string>> };

export type Author = { readonly by: Identity; readonly signing: Signing | undefined };

/**
 * Reads name, email and signing from the person's own git configuration. This is the one place where that
 * configuration, including the global one, counts for commits; `env` is theirs.
 */
export async function readAuthor(
  checkout: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<Author, FindingOf<'author'>>> {
  const setting = (key: string, type: readonly string[] = []) => readSetting(checkout, env, key, type);
  const identity = await readIdentity(checkout, env);
  const name = env['GIT_AUTHOR_NAME'] ?? identity.name;
  const email = env['GIT_AUTHOR_EMAIL'] ?? identity.email;
  if (name === undefined || email === undefined) return err({ rule: 'author' });
  if (!identity.saysSigning || (await setting('commit.gpgsign', ['--type=bool'])) !== 'true')
    return ok({ by: { name, email }, signing: undefined });
  const config = await Promise.all(
    signingKeys.map(async (key) => {
      const value = await setting(key);
      return value === undefined ? [] : [`${key}=${value}`];
    }),
  );
  return ok({ by: { name, email }, signing: { config: config.flat(), env } });
}

/** Answers the same before a run, when nothing may be written: from the configuration files that a person may have. */
export async function isAuthorKnown(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = env;
  const files = named === undefined ? [`${home}/.gitconfig`, `${xdg}/git/config`] : [named];
  let [hasName, hasEmail] = [env['GIT_AUTHOR_NAME'] !== undefined, env['GIT_AUTHOR_EMAIL'] !== undefined];
  for (const file of files) {
    if (hasName && hasEmail) break;
    const from = { HOME: home, GIT_CONFIG_GLOBAL: file, GIT_CONFIG_NOSYSTEM: '0' };
    const { name, email } = await readIdentity(checkout, from);
    hasName ||= name !== undefined;
    hasEmail ||= email !== undefined;
  }
  return hasName && hasEmail;
}

/** Reads name and email, absent where they are empty, and whether signing is configured at all: one git instead of three. */
async function readIdentity(checkout: string, env: Readonly<Record<string, string>>) {
  const args = ['config', '--null', '--get-regexp', '^(user\\.(name|email)|commit\\.gpgsign)$'];
  const { stdout } = await runGit({ cwd: checkout, env, args });
  const entries = stdout.toString('utf8').split('\0').slice(0, -1);
  const lastOf = (key: string): string | undefined =>
    entries
      .findLast((entry) => entry.startsWith(`${key}\n`))
      ?.slice(key.length + 1)
      .trim() || undefined;
  return {
    name: lastOf('user.name'),
    email: lastOf('user.email'),
    saysSigning: entries.some((entry) => entry.startsWith('commit.gpgsign')),
  };
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

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables with which git, its filters and its signing programs act as the person. `file` is named as their global configuration. */
export function personsEnvironment(env: Variables, file: string): Record<string, string> {
  const names = [
    ...['HOME', 'PATH', 'USER', 'LOGNAME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'GNUPGHOME', 'GPG_TTY'],
    ...['SSH_AUTH_SOCK', 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL'],
    // for `land: pr`: how the person reaches their remotes, and where `gh` and `glab` find their login
    ...['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS', 'DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'],
    ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
    ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_CONFIG_DIR', 'GH_HOST'],
    ...['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'GLAB_CONFIG_DIR', 'GITLAB_HOST'],
  ];
  const present = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(present),
    GIT_CONFIG_GLOBAL: env['GIT_CONFIG_GLOBAL'] ?? file,
    GIT_CONFIG_NOSYSTEM: '0',
  };
}

/** A global configuration that includes the two that a person may have: our git calls read none unless a file is named. */
export function globalConfigText(env: Variables): string {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config` } = env;
  const include = (path: string) => `[include]\n\tpath = ${JSON.stringify(path)}\n`;
  return include(`${xdg}/git/config`) + include(`${home}/.gitconfig`);
}

/** Acts as the person before we have a state directory: writes its files to a directory that is removed afterwards. */
export async function asPerson<T>(
  env: Variables,
  act: (environment: Record<string, string>, directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(existsSync(tmpdir()) ? tmpdir() : '/tmp', 'tidegate-look-'));
  try {
    const file = join(directory, 'person.gitconfig');
    writeFileSync(file, globalConfigText(env));
    return await act(personsEnvironment(env, file), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
