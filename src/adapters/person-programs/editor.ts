import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** These have a window of their own: they are not waited for. */
const windowed = [
  'code',
  'code-insiders',
  'codium',
  'cursor',
  'windsurf',
  'zed',
  'subl',
  'idea',
  'webstorm',
  'gedit',
  'kate',
];

/** `in-window`: it has a window of its own and was not waited for. */
type Opened = 'closed' | 'in-window';

/** Null when there is none. Those that live in the terminal are waited for. */
export async function openEditor(path: string, env: Env): Promise<Opened | null> {
  const opened = await runEditor(path, env);
  return opened === 'failed' ? 'closed' : opened;
}

/** The same, where it matters how it ended: `failed` with another code than 0, or by a signal. */
export async function runEditor(path: string, env: Env): Promise<Opened | 'failed' | null> {
  const named = [env['VISUAL'], env['EDITOR']].find((value) => value !== undefined && value.trim() !== '');
  const [program, ...args] = named?.trim().split(/\s+/) ?? windowed.filter((name) => isOnPath(name, env)).slice(0, 1);
  if (program === undefined) return null;
  const isWindowed = windowed.includes(basename(program));
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, path], {
      env,
      detached: isWindowed,
      stdio: isWindowed ? 'ignore' : 'inherit',
    });
    child.once('error', () => resolve(null));
    if (isWindowed)
      child.once('spawn', () => {
        child.unref();
        resolve('in-window');
      });
    else child.once('close', (code) => resolve(code === 0 ? 'closed' : 'failed'));
  });
}

const isOnPath = (name: string, env: Env): boolean =>
  (env['PATH'] ?? '').split(':').some((directory) => directory !== '' && existsSync(join(directory, name)));
