import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DcmEvent } from '../../src/domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { By, RequestEvent } from '../../src/domain/ledger/requests.ts';
import type { Holder, Ledger, Stored } from '../../src/ports/ledger.ts';

const by: By = { who: 'ann', via: 'command' };
export const closed = (wave: number): LedgerEvent => ({ type: 'wave-closed', wave });
export const used = (key: string): DcmEvent => ({ type: 'external-key-used', key, asked: 'x', version: 1 });
export const pause: RequestEvent = { type: 'requested-pause', by };
export const holder = (pid: number): Holder => ({ pid, startTime: '1', bootId: 'b', socket: `/run/${pid}` });
export const dead = (): boolean => false;
export const alive = (): boolean => true;

export async function epochOf(ledger: Ledger, pid = 1): Promise<number> {
  const taken = await ledger.takeEpoch(holder(pid), dead);
  if (taken.outcome !== 'taken') throw new Error(`the epoch is held by ${taken.by.pid}`);
  return taken.epoch;
}

/** Every ledger begins with its opening. Returns the seq of the nth event that was appended after it. */
export const nthSeq = (n: number): number => 1 + n;
/** Returns the seqs of the first `count` events that were appended. */
export const firstSeqs = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => nthSeq(at + 1));
/** Returns what was appended: everything but the opening. */
export const appendedTo = (ledger: Ledger): Promise<readonly Stored[]> => ledger.readAll(nthSeq(0));

/** A directory with a place for a ledger, removed with the scope. */
export function ledgerPlace(): { readonly file: string; readonly directory: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-ledger-'));
  return {
    directory,
    file: join(directory, 'ledger.db'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** `ledger-child.ts` in a process of its own; it prints a line for each thing it did. */
export function child(...args: readonly string[]) {
  const script = join(import.meta.dirname, 'ledger-child.ts');
  const process_: ChildProcess = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const { stdout } = process_;
  if (stdout === null) throw new Error('no output to read');
  const reader = createInterface({ input: stdout });
  reader.on('line', (line) => lines.push(line));
  const closed = Promise.all([once(process_, 'close'), once(reader, 'close')]);
  return {
    lines,
    /** Ends its input, which is what it waits for. */
    release: () => process_.stdin?.end(),
    kill: () => process_.kill('SIGKILL'),
    /** Resolves when at least `count` lines were printed. */
    printed: async (count: number) => {
      while (lines.length < count) await Promise.race([once(reader, 'line'), closed.then(failEarly)]);
    },
    ended: async () => {
      const [[code, signal]] = await closed;
      return (signal ?? code) as string | number;
    },
    [Symbol.asyncDispose]: async () => {
      if (process_.exitCode === null && process_.signalCode === null) process_.kill('SIGKILL');
      await closed;
    },
  };
}

function failEarly(): never {
  throw new Error('the child ended before it printed what was expected');
}

/** Resolves with the first `count` values handed to `push`. */
export function collector<T>(count: number): {
  readonly push: (value: T) => void;
  readonly all: Promise<readonly T[]>;
} {
  const { promise, resolve } = Promise.withResolvers<readonly T[]>();
  const values: T[] = [];
  return {
    all: promise,
    push: (value) => {
      values.push(value);
      if (values.length === count) resolve(values);
    },
  };
}
