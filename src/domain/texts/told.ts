import { safeLine } from '../safe-text.ts';

/**
 * One fact that is in the way, in words. Status, `why`, the end of a run, `--json` and notices all tell it so. Texts begin small,
 * end without a full stop, and follow the name of what they are about.
 */
export type Told = {
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

/** What to do first and what to type then, as one line; the ledger holds it so. */
export const onOneLine = (first: string, command: string): string => `${first}, then: ${command}`;

/** What is to be done before the command, out of such a line; undefined when it is only the command. */
function firstOf(line: string, command: string): string | undefined {
  if (line === '' || command.startsWith(line)) return undefined;
  const end = onOneLine('', command);
  return line.endsWith(end) ? line.slice(0, -end.length) : line;
}

/** As members of what is told. */
export function firstly(line: string, command: string): Pick<Told, 'first'> {
  const first = firstOf(line, command);
  return first === undefined ? {} : { first };
}
