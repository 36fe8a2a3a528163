/**
 * Quotes a word of a command that people paste into a shell. Agents choose file names, so nothing in them may have a meaning there.
 */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,][\w./@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a path, which must not look like an option either. */
export const shellPath = (path: string): string => (path.startsWith('-') ? shellWord(`./${path}`) : shellWord(path));
