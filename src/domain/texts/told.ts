import { safeLine } from '../base/safe-text.ts';

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
