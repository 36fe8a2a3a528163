import type { Advice } from './advice.ts';
import { duration } from './text.ts';

/** Null when the machine slept for less than a minute: then it may only have been busy. */
export const sleepText = (seconds: number): string | null =>
  seconds < 60 ? null : `the machine slept for ${duration(seconds * 1000)}, which does not count`;

/** Everything but an agent is ready. Each fix alone is enough. */
export const noAgentLines = (fixes: readonly string[], then: string): readonly string[] => [
  'No agent is ready yet. Everything else is.',
  ...fixes.map((fix, at) => `${at === 0 ? 'first:' : 'or:   '} ${fix}`),
  `then:  ${then}`,
];

/** The command that installs an agent. */
export const installAgent =
  'npm install -g @anthropic-ai/claude-code   # or codex, opencode; or write `agent: command`';

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
