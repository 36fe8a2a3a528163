import { closeSync, existsSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { writeDurably } from '../../files/durable-file.ts';
import { sha256 } from '../chain.ts';

/** How far the ledger is known to have come. Never ahead of what is durable in the database. */
export type Head = { readonly seq: number; readonly epoch: number; readonly hash: string };

/**
 * The sidecar: two slots in blocks of their own, each with a checksum; the highest valid one counts. A write goes to
 * the other slot, so that one cut short costs nothing. Writers must hold the database's write lock; readers need none.
 */
export type HeadFile = ReturnType<typeof headFile>;

export function headFile(path: string) {
  const read = (): Head | null => slotsOf(path).reduce(higher, null);
  return {
    path,
    exists: (): boolean => existsSync(path),
    isDirectory: (): boolean => statSync(path).isDirectory(),
    read,
    create: (head: Head): void => writeDurably(path, formatSlot(head).padEnd(2 * slotBytes, '\n')),
    /** Writes the head unless it is there already. */
    advance: (head: Head): void => {
      const [first = null, second = null] = slotsOf(path);
      const known = higher(first, second);
      if (known !== null && !isAhead(head, known)) return;
      const free = known === first ? 1 : 0;
      withFile(path, 'r+', (descriptor) => {
        writeSync(descriptor, formatSlot(head), free * slotBytes);
        fdatasyncSync(descriptor);
      });
    },
  };
}

const slotBytes = 4096;

const isAhead = (a: Head, b: Head): boolean => a.seq > b.seq || (a.seq === b.seq && a.epoch > b.epoch);

function higher(a: Head | null, b: Head | null): Head | null {
  if (a === null || b === null) return a ?? b;
  return isAhead(b, a) ? b : a;
}

function slotsOf(path: string): readonly (Head | null)[] {
  const bytes = Buffer.alloc(2 * slotBytes);
  withFile(path, 'r', (descriptor) => readSync(descriptor, bytes, 0, bytes.length, 0));
  return [0, slotBytes].map((start) => parseSlot(bytes.toString('latin1', start, start + slotBytes)));
}

function formatSlot({ seq, epoch, hash }: Head): string {
  const content = `tidegate-head ${digits(seq)} ${digits(epoch)} ${hash}`;
  return `${content} ${sha256(content)}\n`;
}

function parseSlot(text: string): Head | null {
  const [, content, seq, epoch, hash, checksum] =
    /^(tidegate-head (\d{16}) (\d{16}) ([0-9a-f]{64})) ([0-9a-f]{64})\n/.exec(text) ?? [];
  if (content === undefined || hash === undefined || sha256(content) !== checksum) return null;
  return { seq: Number(seq), epoch: Number(epoch), hash };
}

const digits = (value: number): string => String(value).padStart(16, '0');

function withFile(path: string, flags: 'r' | 'r+', work: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
