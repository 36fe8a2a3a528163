import { fingerprint } from '../base/fingerprint.ts';
import { type Settled, short } from '../tool-calls/seen-call.ts';
import { type EchoClass, type Trip, tripCount } from './trip.ts';

/** Calls that failed and have not succeeded since, the one that failed last at the end. */
export type Echoes = readonly Echo[];

type Echo = {
  readonly key: string;
  readonly path: string | null;
  readonly error: string;
  readonly times: number;
  /** What the agent wrote between its last two failures, and what it has written since the last; '' for nothing. */
  readonly fix: string;
  readonly since: string;
};

const remembered = 32;

/**
 * The same error after the same fix, for the third time. Of a write or of anything that was denied, the call is the fix itself.
 * Of anything else, a test run for instance, the fix is what was written since it failed last; without one nothing is counted.
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
  const kept = [...followed.slice(1 - remembered), echo];
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

/** A file that could be edited after all no longer resists. */
const withoutFiles = (echoes: Echoes, paths: readonly string[]): Echoes =>
  echoes.filter((echo) => echo.path === null || !paths.includes(echo.path));

/** Numbers vary from one report of an error to the next: durations, process ids, lines. */
const errorOf = (text: string): string =>
  fingerprint(text.slice(0, 4000).toLowerCase().replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ').trim());

function classOf({ call, because, text }: Settled): EchoClass {
  const rule = because?.rule ?? null;
  if (rule !== null && commandRules.has(rule)) return 'command-blocked';
  if (rule === 'agent-denied') return call.kind === 'run' ? 'command-blocked' : 'scope-denied';
  if (rule !== null) return 'scope-denied';
  const said = text.slice(0, 4000);
  if (call.kind === 'write' && ofEditFormat.test(said)) return 'edit-format-friction';
  if (ofScope.test(said)) return 'scope-denied';
  return ofBlocking.test(said) ? 'command-blocked' : 'other';
}

/** What a program said, or the agent's own settings. Of a denial of ours the call says it all. */
function wordsOf({ because, text }: Settled): readonly string[] {
  if (because === null) return [short(text, 200)];
  return 'words' in because && typeof because.words === 'string' ? [short(because.words, 200)] : [];
}

/** Rules about what is done; all others are about where. */
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
