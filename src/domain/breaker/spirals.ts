import { fingerprint } from '../base/fingerprint.ts';
import { unreachable } from '../base/result.ts';
import { callPlace, type SeenCall, type Settled, short } from '../tool-calls/seen-call.ts';

/** Something that agents do when they no longer get on, found in what they did. */
export type Trip = {
  readonly pattern: 'pagination-spiral' | 'turn-key-repetition' | 'error-echo' | 'self-revert';
  /** The file that the calls are about, relative to the workspace if it lies there. Null when they are about no file. */
  readonly file: string | null;
  readonly occurrences: number;
  /** Only of an error echo. */
  readonly class: EchoClass | null;
  /** Only of a pagination spiral: the lines that were read. */
  readonly reads?: readonly { readonly from: number; readonly to: number }[];
  /** The calls or texts that were counted, in the agent's own words; short, and safe to show. */
  readonly words: readonly string[];
};

type EchoClass = 'edit-format-friction' | 'scope-denied' | 'command-blocked' | 'other';

/** The number of repetitions that counts as a spiral. */
const tripCount = 3;

/** Returns the one warning that the agent gets, so that it can leave the loop by itself. */
export function spiralWarning(trip: Trip): string {
  const file = trip.file === null ? 'the same file' : `\`${trip.file}\``;
  switch (trip.pattern) {
    case 'pagination-spiral':
      return `You have read the same lines of ${file} ${trip.occurrences} times without an edit. You know them: make the change, or say in your handoff what is missing.`;
    case 'turn-key-repetition':
      return `You have made the same call ${trip.occurrences} times with the same result. It will not change: try something else, or hand off what you have.`;
    case 'self-revert':
      return `You have put ${file} back to an earlier content ${trip.occurrences} times. Decide for one version and say why, or hand off as partial and say what is undecided.`;
    case 'error-echo':
      return `The same attempt has failed ${trip.occurrences} times with the same error. ${advice(trip.class ?? 'other')}`;
    default:
      return unreachable(trip.pattern);
  }
}

function advice(echo: EchoClass): string {
  switch (echo) {
    case 'edit-format-friction':
      return 'Read the file again and copy the text to be replaced exactly, with its white space, or write the whole file.';
    case 'scope-denied':
      return 'It is outside your scope and stays refused: ask with `tidegate ask --scope <path>`, or do without it.';
    case 'command-blocked':
      return 'The command stays refused: reach the goal without it, or hand off as partial and say what is missing.';
    case 'other':
      return 'Find the cause before you try once more, or hand off as partial and say what blocks you.';
    default:
      return unreachable(echo);
  }
}

/** The calls at the end of the stream that are all the same, with the same result; null before the first. */
export type Repetition = { readonly key: string; readonly result: string; readonly times: number } | null;

/**
 * Trips at the third identical call in a row with an identical result. Another call in between, or another result, resets the count:
 * running the tests after each edit is work, and so is asking how far a job is.
 */
export function countRepetition(
  before: Repetition,
  { call, outcome, text }: Settled,
): { readonly repetition: Repetition; readonly trip: Trip | null } {
  if (call.waits) return { repetition: null, trip: null };
  const result = fingerprint(`${outcome} ${text}`);
  const times = before?.key === call.key && before.result === result ? before.times + 1 : 1;
  const repetition = { key: call.key, result, times };
  if (times < tripCount) return { repetition, trip: null };
  return {
    repetition,
    trip: { pattern: 'turn-key-repetition', file: call.file, occurrences: times, class: null, words: [call.shown] },
  };
}

/** Resets the count after a call that changed a file: it is then the first of a new row. */
export const afterChange = (before: Repetition): Repetition => before && { ...before, times: 1 };

/** The contents that files have had. The file that changed last is at the end. */
export type Histories = readonly History[];

type History = {
  readonly path: string;
  /** Different contents, the current one last. */
  readonly contents: readonly string[];
  readonly returns: number;
};

const rememberedFiles = { files: 64, contents: 8 };

/**
 * Trips when a file returns to an earlier content for the third time. New content is work, and so is a first draft that a formatter
 * rewrites. A deleted file is forgotten: files that builds and tests make and remove come back the same each time.
 */
export function countReturn(
  histories: Histories,
  seen: { readonly path: string; readonly digest: string | null },
  workspace: string,
): { readonly histories: Histories; readonly changed: boolean; readonly trip: Trip | null } {
  const place = callPlace(seen.path, workspace);
  const path = fingerprint(place);
  const before = histories.find((one) => one.path === path);
  const others = histories.filter((one) => one.path !== path);
  if (seen.digest === null) return { histories: others, changed: before !== undefined, trip: null };
  const content = fingerprint(seen.digest);
  if (before?.contents.at(-1) === content) return { histories, changed: false, trip: null };
  const known = before?.contents ?? [];
  const returns = (before?.returns ?? 0) + (known.includes(content) ? 1 : 0);
  const contents = [...known.filter((one) => one !== content).slice(1 - rememberedFiles.contents), content];
  const kept = [...others.slice(1 - rememberedFiles.files), { path, contents, returns }];
  if (returns < tripCount) return { histories: kept, changed: true, trip: null };
  return {
    histories: kept,
    changed: true,
    trip: { pattern: 'self-revert', file: short(place, 256), occurrences: returns, class: null, words: [] },
  };
}

/** Resets the counts and keeps the contents. */
export const withoutReturns = (histories: Histories): Histories =>
  histories.map((history) => (history.returns === 0 ? history : { ...history, returns: 0 }));

/**
 * Reads since the last edit, the newest last. An edit of any file shows progress, so it clears them. Old reads are forgotten too,
 * because the agent may have to look them up again.
 */
export type Reads = readonly Read[];

type Read = { readonly path: string; readonly from: number; readonly to: number; readonly text: string };

const rememberedReads = 32;

/**
 * Trips at the third of three reads of one path that all overlap. Two overlap when more than half of the longer is in both: going through
 * a file page by page, twice even, with some lines of each page repeated on the next, does not count, nor does a closer look.
 */
export function countRead(reads: Reads, settled: Settled): { readonly reads: Reads; readonly trip: Trip | null } {
  const { call } = settled;
  const path = call.paths[0];
  if (call.kind !== 'read' || settled.outcome !== 'ok' || path === undefined || call.waits)
    return { reads, trip: null };
  const read = { path, ...call.lines, text: fingerprint(settled.text) };
  const known = reads.some((other) => hasChanged(other, read)) ? reads.filter((other) => other.path !== path) : reads;
  const pair = overlappingPair(known.filter((other) => overlap(other, read)));
  const kept = [...known.slice(1 - rememberedReads), read];
  return { reads: kept, trip: pair && spiral(call, [...pair, read]) };
}

const spiral = (call: SeenCall, overlapping: Reads): Trip => ({
  pattern: 'pagination-spiral',
  file: call.file,
  occurrences: overlapping.length,
  class: null,
  reads: overlapping.map(({ from, to }) => ({ from, to })),
  words: [call.shown],
});

function overlappingPair(reads: Reads): Reads | null {
  for (const [index, a] of reads.entries()) {
    const b = reads.slice(index + 1).find((other) => overlap(a, other));
    if (b) return [a, b];
  }
  return null;
}

function overlap(a: Read, b: Read): boolean {
  const common = Math.min(a.to, b.to) - Math.max(a.from, b.from) + 1;
  return a.path === b.path && common * 2 > Math.max(a.to - a.from, b.to - b.from) + 1;
}

/** True when the same lines have another text: someone else writes the file, and the agent is right to read it again. */
const hasChanged = (before: Read, now: Read): boolean =>
  before.path === now.path && before.from === now.from && before.to === now.to && before.text !== now.text;

/** Calls that failed and have not succeeded since. The one that failed last is at the end. */
export type Echoes = readonly Echo[];

type Echo = {
  readonly key: string;
  readonly path: string | null;
  readonly error: string;
  readonly times: number;
  /** `fix` holds what the agent wrote between its last two failures, `since` what it has written since the last; '' for nothing. */
  readonly fix: string;
  readonly since: string;
};

const rememberedCalls = 32;

/**
 * Trips at the third same error after the same fix. A write, or any denied call, is itself the fix. For other calls, such as a test
 * run, the fix is everything that was written since its last failure; without a fix nothing is counted.
 */
export function countEcho(echoes: Echoes, settled: Settled): { readonly echoes: Echoes; readonly trip: Trip | null } {
  const { call } = settled;
  const others = echoes.filter((echo) => echo.key !== call.key);
  const followed = call.kind === 'write' ? others.map((echo) => withWrite(echo, call.key)) : others;
  if (settled.outcome === 'ok')
    return { echoes: call.kind === 'write' ? withoutFiles(followed, call.paths) : followed, trip: null };
  const echo = echoOf(
    settled,
    echoes.find((one) => one.key === call.key),
  );
  const kept = [...followed.slice(1 - rememberedCalls), echo];
  if (echo.times < tripCount) return { echoes: kept, trip: null };
  return {
    echoes: kept,
    trip: {
      pattern: 'error-echo',
      file: call.file,
      occurrences: echo.times,
      class: classOf(settled),
      words: [call.shown, ...wordsOf(settled)],
    },
  };
}

function echoOf(settled: Settled, before: Echo | undefined): Echo {
  const { call, outcome } = settled;
  const error = errorOf(settled.text);
  const first = { key: call.key, path: call.paths[0] ?? null, error, times: 1, fix: '', since: '' };
  if (before?.error !== error) return first;
  if (call.kind === 'write' || outcome === 'denied') return { ...first, times: before.times + 1 };
  if (before.since === '') return before;
  const isSameFix = before.times > 1 && before.since === before.fix;
  return { ...first, times: isSameFix ? before.times + 1 : 2, fix: before.since };
}

const withWrite = (echo: Echo, key: string): Echo => ({ ...echo, since: fingerprint(`${echo.since} ${key}`) });

/** Removes the failures of files that have now been edited. */
const withoutFiles = (echoes: Echoes, paths: readonly string[]): Echoes =>
  echoes.filter((echo) => echo.path === null || !paths.includes(echo.path));

/** Ignores numbers, which vary between reports of one error: durations, process ids, lines. */
const errorOf = (text: string): string =>
  fingerprint(text.slice(0, 4000).toLowerCase().replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ').trim());

function classOf({ call, because, text }: Settled): EchoClass {
  const rule = because?.rule ?? null;
  if (rule !== null && commandRules.has(rule)) return 'command-blocked';
  if (rule === 'agent-denied') return call.kind === 'run' ? 'command-blocked' : 'scope-denied';
  if (rule !== null) return 'scope-denied';
  const output = text.slice(0, 4000);
  if (call.kind === 'write' && ofEditFormat.test(output)) return 'edit-format-friction';
  if (ofScope.test(output)) return 'scope-denied';
  return ofBlocking.test(output) ? 'command-blocked' : 'other';
}

/** Returns the output of a program, or the words of a denial by the agent's own settings. A denial of ours has none: the call says it all. */
function wordsOf({ because, text }: Settled): readonly string[] {
  if (because === null) return [short(text, 200)];
  return 'words' in because && typeof because.words === 'string' ? [short(because.words, 200)] : [];
}

/** Rules about commands; all other rules are about paths. */
const commandRules = new Set<string>(['git-command', 'no-verify', 'removes-workspace', 'blocked-command', 'forbidden']);
const ofScope = /\bscope\b|outside (of )?the (workspace|project)|read-only file system/i;
const ofBlocking =
  /command .{0,80}(blocked|not allowed|denied|forbidden)|(blocked|denied) by (a |the )?(hook|policy|rule)/is;
const ofEditFormat = new RegExp(
  [
    'old_?(string|text)',
    'string to replace',
    'not unique',
    '(multiple|several|[0-9]+) (matches|occurrences)',
    'no (match|occurrence)',
    'white ?space',
    '(failed to|could not|cannot) (find|match|locate) .{0,60}(text|string|lines|context|hunk)',
    '(hunk|patch) .{0,60}(failed|does not apply|rejected)',
    'invalid (patch|hunk|context)',
  ].join('|'),
  'i',
);
