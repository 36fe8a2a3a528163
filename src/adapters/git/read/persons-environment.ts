import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/** What git, its filters and its signing programs need to act as the person. `file` is named as their global configuration. */
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
  const given = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(given),
    GIT_CONFIG_GLOBAL: env['GIT_CONFIG_GLOBAL'] ?? file,
    GIT_CONFIG_NOSYSTEM: '0',
  };
}

/** Our git calls have no global configuration unless a file is named; this one stands for the two that a person may have. */
export function globalConfigText(env: Variables): string {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config` } = env;
  const include = (path: string) => `[include]\n\tpath = ${JSON.stringify(path)}\n`;
  return include(`${xdg}/git/config`) + include(`${home}/.gitconfig`);
}

/** Acts as the person where nothing of ours is kept yet: what has to be written is in a directory that is removed. */
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
