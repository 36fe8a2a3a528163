import { shellPath, shellWord } from '../base/safe-text.ts';

/** The command that prints the output of a check. */
export const checkLog = (run: string, check: string): string => `tidegate logs ${run} --check ${shellWord(check)}`;

/** The command that answers a record of the board. */
export const answerQuestion = (run: string, record: string): string =>
  `tidegate answer ${run}/${record} -m "your answer"`;

/** The command that resolves a record of the board. */
export const settleRecord = (run: string, record: string): string =>
  `tidegate record ${run}/${record} resolve -m "how it was settled"`;

/** The command that starts another attempt with a message. */
export const reworkInstead = (subject: string, message: string): string =>
  `tidegate rework ${subject} -m ${shellWord(message)}`;

/** A command with its paths, at most 20. The next command, after these are settled, names the rest. */
export const withPaths = (command: string, paths: readonly string[]): string =>
  [command, ...paths.slice(0, 20).map(shellPath)].join(' ');

/** The message to an agent that continues the work of another attempt. */
export const continueWork = 'continue from the existing work, finish the task, then hand off';

/** The command that undoes a run or one task. */
export const undoAgain = (run: string, task: string | null): string =>
  `tidegate undo ${run}${task === null ? '' : `/${task}`}`;

/** The commands that tell git the name and email of the person. */
export const setAuthor = 'git config --global user.name "Your Name" && git config --global user.email you@example.com';

/** The oldest supported git. It fixed CVE-2024-32004, -32020, -32021 and -32465 in clone and local transport. */
export const oldestGit = '2.39.4';
