import { statSync } from 'node:fs';
import { loginFile, secretsIn } from '../../agents/common/login.ts';
import {
  borderLength,
  longestSecret,
  markOf,
  maskTexts,
  openFrom,
  type SecretSpan,
  secretSpans,
} from '../../domain/secrets/secret-shapes.ts';
import type { Job } from '../../ports/supervisor.ts';

/** The time that text waits for the rest of a possible secret. */
const idleMs = 250;
/** Shorter values (`on`, `8080`) would be found everywhere. */
const shortest = 8;
const mark = '[redacted]';

/**
 * Masks secrets in a stream of bytes: known values, and whatever looks like a credential, also where one is cut by the end of a chunk.
 * Only text that may be the beginning of one is held back: until more comes, for 16 KB at most, and not for longer than a moment. After
 * that moment it is passed on, and what follows is still masked if it turns out to belong to a secret.
 */
export function redactor(
  secrets: KnownSecrets,
  pass: (chunk: Uint8Array) => void,
): { write(chunk: Uint8Array): void; end(): void } {
  const known = needlesOf(secrets);
  /** The text that is not decided upon. The first `passed` characters of it were passed on; `marked` is the place of a mark in them. */
  let open = '';
  let passed = 0;
  let marked = -1;
  let timer: NodeJS.Timeout | null = null;

  const passOn = (spans: readonly Span[], upTo: number): void => {
    for (const { from, to, mark } of spans) {
      if (from >= upTo) break;
      if (passed < from) pass(Buffer.from(open.slice(passed, from), 'latin1'));
      if (passed < to && marked !== from) pass(Buffer.from(mark));
      if (passed < to) [passed, marked] = [to, from];
    }
    if (passed < upTo) pass(Buffer.from(open.slice(passed, upTo), 'latin1'));
    passed = Math.max(passed, upTo);
  };
  const decide = (): void => {
    const needles = known();
    const spans = spansIn(open, needles);
    const undecided = Math.max(Math.min(openFrom(open), openValue(open, needles)), open.length - mostOpen(needles));
    const upTo = spans.find(({ from, to }) => from < undecided && to > undecided)?.from ?? undecided;
    passOn(spans, upTo);
    const from = Math.max(0, upTo - borderLength);
    open = open.slice(from);
    passed -= from;
    marked -= from;
  };
  const passAll = (): void => passOn(spansIn(open, known()), open.length);
  const wait = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = passed < open.length ? setTimeout(passAll, idleMs).unref() : null;
  };
  return {
    write(chunk) {
      open += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      decide();
      wait();
    },
    end() {
      passAll();
      [open, passed, marked] = ['', 0, -1];
      wait();
    },
  };
}

/** The same for every text in a record that an agent had a hand in. */
export function redactTexts<T>(value: T, secrets: readonly string[]): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, mark), part);
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, replace(field)]));
  };
  return maskTexts(secrets.length === 0 ? value : (replace(value) as T));
}

type Span = Pick<SecretSpan, 'from' | 'to'> & { readonly mark: string };

/** A value that is known is shown as such, whatever it looks like. */
function spansIn(text: string, needles: readonly string[]): readonly Span[] {
  const shapes = secretSpans(text).map(({ from, to, rule }) => ({ from, to, mark: markOf(rule) }));
  const values = needles.flatMap((needle) => placesOf(text, needle));
  if (values.length === 0) return shapes;
  const spans: Span[] = [];
  for (const span of [...values, ...shapes].toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = spans.at(-1);
    if (last === undefined || span.from >= last.to) spans.push(span);
    else if (span.to > last.to || span.mark === mark)
      spans[spans.length - 1] = { from: last.from, to: Math.max(span.to, last.to), mark };
  }
  return spans;
}

function placesOf(text: string, needle: string): readonly Span[] {
  const places: Span[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    places.push({ from: at, to: at + needle.length, mark });
  return places;
}

/** Returns the place where the text ends with the beginning of a value; the length of the text when it does not. */
function openValue(text: string, needles: readonly string[]): number {
  let open = text.length;
  for (const needle of needles) {
    const first = needle.charAt(0);
    for (let at = text.indexOf(first, text.length - needle.length + 1); at >= 0; at = text.indexOf(first, at + 1)) {
      if (!needle.startsWith(text.slice(at))) continue;
      open = Math.min(open, at);
      break;
    }
  }
  return open;
}

const mostOpen = (needles: readonly string[]): number =>
  Math.max(longestSecret, ...needles.map((needle) => needle.length));

/** Returns the secrets as byte strings, with one character for each byte. */
function needlesOf(secrets: KnownSecrets): () => readonly string[] {
  let values: readonly string[] = [];
  let needles: readonly string[] = [];
  return () => {
    const now = secrets();
    if (now === values) return needles;
    values = now;
    needles = now.filter(({ length }) => length >= shortest).map((value) => Buffer.from(value).toString('latin1'));
    return needles;
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the values that must not be shown, read before each write. An agent may renew its login at any time: a value that was in
 * the file before something was printed is known when that is written. A known value stays known.
 */
export type KnownSecrets = () => readonly string[];

/** Reads the file again only when it has changed, because this is called for every chunk of output. */
export function knownSecrets(job: Job, environment: Variables): KnownSecrets {
  const file = job.agent?.login === undefined ? null : loginFile(job.agent.login, environment);
  let seen = file === null ? null : stampOf(file);
  let known: readonly string[] = [...new Set(secretsOf(job, environment))];
  if (file === null) return () => known;
  return () => {
    const now = stampOf(file);
    if (now !== null && now === seen) return known;
    seen = now;
    const values = new Set([...known, ...secretsOf(job, environment)]);
    if (values.size > known.length) known = [...values];
    return known;
  };
}

/** Values that were passed into the fence by name, or are in the file that logs the agent in. Short ones (`on`, a port) would be found everywhere. */
export const secretsOf = (job: Job, environment: Variables): readonly string[] =>
  [
    ...[...job.fence.env, ...(job.agent?.credentials ?? [])].map((name) => environment[name] ?? ''),
    ...(job.agent?.login === undefined ? [] : secretsIn(loginFile(job.agent.login, environment))),
  ].filter((value) => value.length >= 8);

/** Returns a stamp that is equal only for equal content; null while that is uncertain, because the clock of a file system is coarse. */
function stampOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  const isFresh = Math.abs(Date.now() - Number(stats.ctimeMs)) < 1000;
  return isFresh ? null : `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.size}`;
}
