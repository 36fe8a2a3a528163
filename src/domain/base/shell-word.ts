/**
 * A word of a command that people paste into a shell. Names of files are chosen by agents: nothing in them may be more
 * than a name there.
 */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,][\w./@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The same for a path, which must not pass for an option either. */
export const shellPath = (path: string): string => (path.startsWith('-') ? shellWord(`./${path}`) : shellWord(path));
