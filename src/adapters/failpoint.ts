/**
 * A place where the process may be killed, so that tests can stop it between any two durable steps.
 * Does nothing unless armed. Names are string literals: the kill sweep finds them by reading the source.
 */
export function failpoint(name: string): void {
  if (armed === null || armed.name !== name) return;
  armed.hitsLeft -= 1;
  if (armed.hitsLeft === 0) process.kill(process.pid, 'SIGKILL');
}

/** `name` kills at its first hit, `name#n` at its n-th. Called by main/ only, with TIDEGATE_FAILPOINT. */
export function armFailpoints(value: string | undefined): void {
  armed = value === undefined || value === '' ? null : parse(value);
}

let armed: { readonly name: string; hitsLeft: number } | null = null;

function parse(value: string): { readonly name: string; hitsLeft: number } {
  const [, name, hits] = /^([a-z0-9-]+)(?:#([1-9][0-9]*))?$/.exec(value) ?? [];
  if (name === undefined) throw new TypeError(`not a failpoint: ${JSON.stringify(value)}`);
  return { name, hitsLeft: Number(hits ?? '1') };
}
