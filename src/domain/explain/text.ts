import { agentKinds, defaultAgents } from '../../agents/agents.ts';
import { safeLine, safeText } from '../base/safe-text.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import type { Clause, Directive } from '../plan/plan.ts';
import type { Advice } from './advice.ts';

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

/** The directive as people see it: its text, then each clause that the text does not contain yet. */
export function directiveText({ text, clauses }: Directive, forbid: readonly string[]): string {
  const missing = clauseTexts(clauses, forbid).filter((clause) => !text.includes(clause));
  return `${[text.trimEnd(), ...missing].join('\n\n')}\n`;
}

/** The clauses in the order in which agents get them. `forbid` comes from the plan. */
export const clauseTexts = (clauses: readonly Clause[], forbid: readonly string[]): readonly string[] =>
  clauses.map((clause) => wordings[clause](forbid));

const wordings: Readonly<Record<Clause, (forbid: readonly string[]) => string>> = {
  'merge-gate': () => `<!-- tidegate:merge-gate -->
## Merge gate

- Work only in this workspace, and only on the paths that you own.
- Never commit to, merge into, rebase, push, delete or move a branch or a tag. Tidegate takes a snapshot of your files,
  checks it and integrates it.
- When you have finished, hand off: \`tidegate handoff done -m "what you did"\`. If you did not finish,
  use \`partial\` or \`failed\` and say what remains. Work without a handoff does not count as done.`,
  'closure-role': () => `<!-- tidegate:closure-role -->
## Closure role

- The work of this wave is integrated here. Judge it. Do not repair it, and do not decide for others.
- Never commit to, merge into, rebase, push, delete or move a branch or a tag.
- End with your report: \`tidegate verdict <word> --finding "what you found"\`. Without a report the wave stays open.`,
  forbid: (forbid) =>
    ['Never do any of the following:', ...forbid.map((line) => `- ${line.replaceAll('\n', ' ')}`)].join('\n'),
};

/** Null when the machine slept for less than a minute: then it may only have been busy. */
export const sleepText = (seconds: number): string | null =>
  seconds < 60 ? null : `the machine slept for ${duration(seconds * 1000)}, which does not count`;

/** Everything but an agent is ready. Each fix alone is enough. */
export const noAgentLines = (fixes: readonly string[], then: string): readonly string[] => [
  'No agent is ready yet. Everything else is.',
  ...fixes.map((fix, at) => `${at === 0 ? 'first:' : 'or:   '} ${fix}`),
  `then:  ${then}`,
];

const [firstAgent = '', ...otherAgents] = defaultAgents;

/** The command that installs an agent. */
export const installAgent = `${agentKinds[firstAgent]?.install}   # or ${otherAgents.join(', ')}; or write \`agent: command\``;

/** The fix for an installed program that does not start in the fence. `line` is the setting that makes it visible, and its file. */
export const programFix = (path: string, line: { readonly text: string; readonly file: string } | null): string =>
  line === null
    ? `${path} --version   # does it start outside the fence?`
    : `${line.text}   # add this to ${line.file}`;

/** The run has work to do, but its coordinator was killed or the machine restarted. */
export const noCoordinatorAdvice = (run: string): Advice => ({
  message: 'no coordinator is running',
  safe: `running agents continue for ${patienceMinutes} minutes, and all work is kept`,
  command: `tidegate resume ${run}`,
});

/** The time for which `src/main/supervisor.ts` lets an attempt continue without a coordinator. */
const patienceMinutes = 15;
