import { spawn } from 'node:child_process';
import { runGit } from '../git/process/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The person's pager as git finds it: GIT_PAGER, core.pager, PAGER, else less. Null when the person wants none. */
export async function pagerOf(checkout: string, env: Env): Promise<string | null> {
  const own = Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
  // our own calls of git set `core.pager=cat`; here the person's own setting is read
  const pager = env['GIT_PAGER'] ?? (await configured(checkout, own)) ?? env['PAGER'] ?? 'less';
  return pager === '' || pager === 'cat' ? null : pager;
}

async function configured(checkout: string, env: Record<string, string>): Promise<string | undefined> {
  const { HOME = '/', XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = env;
  const global = GIT_CONFIG_GLOBAL ?? `${HOME}/.gitconfig`;
  const more = XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME };
  for (const scope of [['--local'], ['--file', global]]) {
    const found = await runGit({
      cwd: checkout,
      args: ['config', ...scope, '--get', 'core.pager'],
      env: { HOME, ...more },
    });
    if (found.exitCode === 0) return found.stdout.toString('utf8').trim();
  }
  return undefined;
}

/** Resolves when the person has closed it; false when it could not run. By the shell, as git does: the command is their own. */
export function showInPager(pager: string, text: string, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', pager], {
      env: { LESS: 'FRX', LV: '-c', ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code !== 126 && code !== 127));
    // Closed before the end was read: they have seen enough.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
