import { safeLine, safeText } from '../base/safe-text.ts';

/**
 * One fact that is in the way, in words. Status, `why`, the end of a run, `--json` and notices all tell it so. Texts begin small,
 * end without a full stop, and follow the name of what they are about.
 */
export type Advice = {
  /** What happened. */
  readonly message: string;
  /** What nobody has to worry about. */
  readonly safe: string;
  /** Lines of an output that say why, few of them. */
  readonly lines?: readonly string[];
  /** What has to be done before the command, where that is not Tidegate's: in words, or commands on lines of their own. */
  readonly first?: string;
  /** What brings it on; can be pasted as it is. */
  readonly command: string;
};

/** The first few, and how many there are beside. */
export function few(texts: readonly string[], most = 3, separator = ', '): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(separator) + (more > 0 ? ` and ${more} more` : '');
}

/** On one line and not for ever long: what agents and programs say may be both. */
export function brief(text: string, most = 300): string {
  const line = safeLine(text.trim());
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/** `42s`, `3m 07s`, `2h 05m`, `4d 3h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Two digits, as on a clock. */
export const two = (count: number): string => String(count).padStart(2, '0');

/** The lines of a failing program's output that say why: those that look like it, else the last ones. */
export function failingLines(output: string, most = 10): readonly string[] {
  const lines = safeText(output)
    .split('\n')
    .map((line) => line.replaceAll('\t', '  ').trimEnd())
    .filter((line) => line.trim() !== '' && !noise.test(line));
  const telling = lines.filter((line) => mark.test(line) && !allWell.test(line));
  const chosen = lines.length <= most ? lines : telling.length > 0 ? telling.slice(0, most) : lines.slice(-most);
  return chosen.map((line) => (line.length <= longest ? line : `${line.slice(0, longest)}…`));
}

const longest = 160;
const mark =
  /\b(errors?|fail(ed|s|ure|ures)?|fatal|not ok|assert\w*|\w*exception|panic\w*|traceback|expected|actual|received)\b|\w+Error\b|^\s*[✗✘×✖]|^\s*at .*:\d+/i;
/** A summary that nothing of the kind was found. */
const allWell = /\b(0|no) (errors?|fail\w*)|\b(errors?|fail\w*)\W{1,3}0\b/i;
/** What package managers print whenever a script fails. */
const noise = /^(npm (error|ERR!)|> |\s*ELIFECYCLE|error Command failed|info Visit )/;
