import { closeSync, openSync } from 'node:fs';

/**
 * A place where the process may be killed, so that tests can stop it between any two durable steps.
 * Does nothing unless armed. Names are string literals: the kill sweep finds them by reading the source.
 */
export function failpoint(name: string): void {
  if (armed === null || armed.name !== name) return;
  armed.hitsLeft -= 1;
  if (armed.hitsLeft === 0 && isFirst(armed.token)) process.kill(process.pid, 'SIGKILL');
}

/**
 * `name` kills at its first hit, `name#n` at its n-th; with `@file` only the first process of all that share the file,
 * which it makes. Called by main/ only, with TIDEGATE_FAILPOINT.
 */
export function armFailpoints(value: string | undefined): void {
  armed = value === undefined || value === '' ? null : parse(value);
}

type Armed = { readonly name: string; hitsLeft: number; readonly token: string | null };
let armed: Armed | null = null;

function parse(value: string): Armed {
  const [, name, hits, token] = /^([a-z0-9-]+)(?:#([1-9][0-9]*))?(?:@(.+))?$/.exec(value) ?? [];
  if (name === undefined) throw new TypeError(`not a failpoint: ${JSON.stringify(value)}`);
  return { name, hitsLeft: Number(hits ?? '1'), token: token ?? null };
}

function isFirst(token: string | null): boolean {
  if (token === null) return true;
  try {
    closeSync(openSync(token, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
