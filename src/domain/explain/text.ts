import { safeLine, safeText } from '../base/safe-text.ts';
import type { CheckOutcome } from '../gates/evidence.ts';

/** `1 file`, `3 files`. */
export const plural = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** People count waves from 1; events, JSON and the API keep the index. A name that only repeats the index is left out. */
export const waveName = (index: number, name = ''): string =>
  `wave ${index + 1}${name === '' || name === `wave-${index}` ? '' : ` (${name})`}`;

/** The first few, and the number of the others. */
export function few(texts: readonly string[], most = 3, separator = ', '): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(separator) + (more > 0 ? ` and ${more} more` : '');
}

/** One line of limited length, because agents and programs write long texts of many lines. */
export function brief(text: string, most = 300): string {
  const line = safeLine(text.trim());
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/** A sentence followed by the words of a program, if there are any. */
export const withWords = (sentence: string, words: string): string =>
  words === '' ? sentence : `${sentence}: ${words}`;

export const checkOutcomes: Readonly<Record<CheckOutcome['outcome'], string>> = {
  passed: 'passed',
  failed: 'failed',
  'timed-out': 'timed out',
  'could-not-run': 'could not run',
};

/** `42s`, `3m 07s`, `2h 05m`, `4d 3h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${twoDigits(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns the lines of a program's output that look like an error, or else the last lines. */
export function failingLines(output: string, most = 10): readonly string[] {
  const lines = safeText(output)
    .split('\n')
    .map((line) => line.replaceAll('\t', '  ').trimEnd())
    .filter((line) => line.trim() !== '' && !noise.test(line));
  const errors = lines.filter((line) => errorMark.test(line) && !allWell.test(line));
  const chosen = lines.length <= most ? lines : errors.length > 0 ? errors.slice(0, most) : lines.slice(-most);
  return chosen.map((line) => (line.length <= longest ? line : `${line.slice(0, longest)}…`));
}

const longest = 160;
const errorMark =
  /\b(errors?|fail(ed|s|ure|ures)?|fatal|not ok|assert\w*|\w*exception|panic\w*|traceback|expected|actual|received)\b|\w+Error\b|^\s*[✗✘×✖]|^\s*at .*:\d+/i;
/** A summary that reports no errors. */
const allWell = /\b(0|no) (errors?|fail\w*)|\b(errors?|fail\w*)\W{1,3}0\b/i;
/** Lines that package managers print whenever a script fails. */
const noise = /^(npm (error|ERR!)|> |\s*ELIFECYCLE|error Command failed|info Visit )/;
