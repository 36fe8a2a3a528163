import { appendFileSync, closeSync, fstatSync, openSync, writeSync } from 'node:fs';

/**
 * A place where the process may be killed, so that tests can stop it between any two durable steps.
 * Does nothing unless armed. Names are string literals: the kill sweep finds them by reading the source.
 */
export function failpoint(name: string): void {
  for (const one of armed) {
    if (one.name === '*' && one.tally !== null) appendFileSync(one.tally, `${name}\n`);
    if (one.name !== name) continue;
    one.hits += 1;
    const hits = one.tally === null ? one.hits : countTogether(one.tally);
    if (hits === one.kill) process.kill(process.pid, 'SIGKILL');
  }
}

/**
 * `name` kills at its first hit, `name#n` at its n-th; with `@file` hits of all processes that share the file are counted
 * together, so that only one of them is killed. `*@file` kills nothing and lists what is hit. Several are separated by commas.
 * Called by main/ only, with TIDEGATE_FAILPOINT.
 */
export function armFailpoints(value: string | undefined): void {
  armed = value === undefined || value === '' ? [] : value.split(',').map(parse);
}

type Armed = { readonly name: string; readonly kill: number; readonly tally: string | null; hits: number };
let armed: readonly Armed[] = [];

function parse(value: string): Armed {
  const [, name, kill, tally] = /^(\*|[a-z0-9-]+)(?:#([1-9][0-9]*))?(?:@(.+))?$/.exec(value) ?? [];
  if (name === undefined) throw new TypeError(`not a failpoint: ${JSON.stringify(value)}`);
  return { name, kill: Number(kill ?? '1'), tally: tally ?? null, hits: 0 };
}

/** One byte per hit; appends of one byte do not mix. */
function countTogether(tally: string): number {
  const file = openSync(tally, 'a', 0o600);
  try {
    writeSync(file, '.');
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
