import { shellPath, shellWord } from '../base/shell-word.ts';

/** Prints the output of a check. */
export const checkLog = (run: string, check: string): string => `tidegate logs ${run} --check ${shellWord(check)}`;

/** Answers a record of the board; the text in quotes is the person's to write. */
export const answerQuestion = (run: string, record: string): string =>
  `tidegate answer ${run}/${record} -m "your answer"`;

/** Brings a message to an agent that takes none now. */
export const reworkInstead = (subject: string, message: string): string =>
  `tidegate rework ${subject} -m ${shellWord(message)}`;

/** A command about these paths. It names 20 of them at most; once those are settled, the next command names the rest. */
export const withPaths = (command: string, paths: readonly string[]): string =>
  [command, ...paths.slice(0, 20).map(shellPath)].join(' ');

/** What an agent is told that goes on with work which another one left. */
export const goOn = 'go on with what is there until it is done, then hand off';

/** An undo of a whole run, or of one task. */
export const undoAgain = (run: string, task: string | null): string =>
  `tidegate undo ${run}${task === null ? '' : `/${task}`}`;

/** What to type for an author that git does not know. */
export const setAuthor = 'git config --global user.name "Your Name" && git config --global user.email you@example.com';

/** The oldest git that can be used: it closed the clone and local-transport holes (CVE-2024-32004, -32020, -32021, -32465). */
export const oldestGit = '2.39.4';
