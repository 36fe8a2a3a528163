import type { KnownSecrets } from './known-secrets.ts';

/**
 * Replaces secret values in a stream of bytes, also where a value is cut by the end of a chunk: the last bytes that could be the
 * beginning of one are held back until more comes.
 */
export function redactor(
  secrets: KnownSecrets,
  pass: (chunk: Uint8Array) => void,
): { write(chunk: Uint8Array): void; end(): void } {
  let known: readonly string[] = [];
  let needles: readonly Buffer[] = [];
  let longest = 1;
  const learn = (): void => {
    const values = secrets();
    if (values === known) return;
    known = values;
    needles = values.filter((secret) => secret.length >= shortest).map((secret) => Buffer.from(secret));
    longest = Math.max(1, ...needles.map((needle) => needle.length));
  };
  let held: Buffer = Buffer.alloc(0);
  const flush = (bytes: Buffer, upTo: number): Buffer => {
    let from = 0;
    for (let found = firstOf(needles, bytes, from); found !== null; found = firstOf(needles, bytes, from)) {
      if (found.at >= upTo) break;
      pass(bytes.subarray(from, found.at));
      pass(mark);
      from = found.at + found.length;
    }
    if (from < upTo) pass(bytes.subarray(from, upTo));
    return Buffer.from(bytes.subarray(Math.max(from, upTo)));
  };
  return {
    write(chunk) {
      learn();
      if (needles.length === 0) return pass(chunk);
      const bytes = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
      held = flush(bytes, Math.max(0, bytes.length - longest + 1));
    },
    end() {
      learn();
      flush(held, held.length);
      held = Buffer.alloc(0);
    },
  };
}

/** The same for every text in a record that an agent had a hand in. */
export function redactTexts<T>(value: T, secrets: readonly string[]): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string')
      return secrets.reduce((text, secret) => text.replaceAll(secret, mark.toString()), part);
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, replace(field)]));
  };
  return secrets.length === 0 ? value : (replace(value) as T);
}

/** Shorter values (`on`, `8080`) would be found everywhere. */
const shortest = 8;
const mark = Buffer.from('[redacted]');

function firstOf(needles: readonly Buffer[], bytes: Buffer, from: number): { at: number; length: number } | null {
  const found = needles
    .map((needle) => ({ at: bytes.indexOf(needle, from), length: needle.length }))
    .filter(({ at }) => at >= 0);
  return found.length === 0
    ? null
    : found.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.length > a.length) ? b : a));
}
