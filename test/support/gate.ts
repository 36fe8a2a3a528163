import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { Project } from './project.ts';

/** A place that checks can see through the fence. One that waits here goes on when the test lets it. */
export function openGate() {
  const place = mkdtempSync(join(tmpdir(), 'tg-gate-'));
  // checks run as a user of their own
  chmodSync(place, 0o755);
  return {
    /** A shell command that waits for what this file of the checkout says; without the file it waits for nothing. */
    waitsFor: (file: string): string =>
      `test ! -f ${file} || until test -e ${place}/$(cat ${file}); do sleep 0.02; done`,
    /** A shell command that waits until this name is let through. */
    waits: (name: string): string => `until test -e ${place}/${name}; do sleep 0.02; done`,
    /** The person's own settings let checks read the place. */
    showTo({ root }: Project): void {
      const folder = join(root, 'home', '.config', 'tidegate');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ fence: { read: [place] } }));
    },
    letThrough: (name: string): void => writeFileSync(join(place, name), ''),
    [Symbol.dispose]: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** Calls back at every new event of the project, in order, until disposed; `next` resolves at the first of a type. */
export async function listenTo(p: Project, onEvent: (event: LedgerEvent) => void = () => undefined) {
  const ledger = await openSqliteLedger(p.state().ledger);
  const past = await ledger.readAll();
  const waiting: { readonly type: LedgerEvent['type']; readonly resolve: () => void }[] = [];
  const subscription = ledger.subscribe(past.at(-1)?.seq ?? 0, ({ event }) => {
    onEvent(event);
    for (const { resolve } of waiting.filter(({ type }) => type === event.type)) resolve();
  });
  return {
    /** Kills the coordinator that works for the project now. */
    async killCoordinator(): Promise<void> {
      const held = await ledger.holder();
      if (held === null || held.holder.pid === process.pid) throw new Error('there is no coordinator');
      process.kill(held.holder.pid, 'SIGKILL');
    },
    next: (type: LedgerEvent['type']): Promise<void> => new Promise((resolve) => waiting.push({ type, resolve })),
    async [Symbol.asyncDispose]() {
      await subscription[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
    },
  };
}
