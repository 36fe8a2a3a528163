import { shellPath } from '../base/shell-word.ts';
import type { RunState } from '../run/run.ts';
import { describeVerdict } from './explain.ts';
import { printed } from './hold.ts';
import { type Advice, duration, few } from './text.ts';

/** Null: it did not, or so shortly that it may as well have been busy. */
export const toldOfSleep = (seconds: number): string | null =>
  seconds < 60 ? null : `the machine slept ${duration(seconds * 1000)}, which was not charged`;

/** All is there but somebody to do the work. Each fix alone is enough. */
export const toldOfNoAgent = (fixes: readonly string[], then: string): readonly string[] => [
  'No agent is ready yet; the rest is.',
  ...fixes.map((fix, at) => `${at === 0 ? 'first:' : 'or:   '} ${fix}`),
  `then:  ${then}`,
];

/** What to type when no agent is installed. */
export const installAgent =
  'npm install -g @anthropic-ai/claude-code   # or codex, opencode; or write `agent: command`';

/** What to do about a program that is there and does not start in the fence. `line`: what shows it, for which file. */
export const mendProgram = (path: string, line: { readonly text: string; readonly file: string } | null): string =>
  line === null
    ? `${path} --version   # does it start outside of the fence?`
    : `${line.text}   # add this to ${line.file}`;

/** Something is to be done, and nobody is there to do it: the coordinator was killed, or the machine restarted. */
export const toldOfNoCoordinator = ({ run }: Pick<RunState, 'run'>): Advice => ({
  message: 'no coordinator is alive, so nothing of it goes on',
  safe: `agents under way work on for ${patienceMinutes} minutes, and all that was done is kept`,
  command: `tidegate resume ${run}`,
});

/** How long `src/main/supervisor.ts` lets a supervisor go on with its attempt while no coordinator attends to it. */
const patienceMinutes = 15;

/** Why a run failed: a check fails on the person's own branch, or a phase before approval did not pass. */
export function toldOfFailedRun(state: RunState): Advice {
  const red = toldOfRedBase(state);
  if (red !== null) return red;
  const judged = [
    state.contract,
    state.load,
    ...state.waves.flatMap((wave) => [wave.thread, wave.preflight, wave.ownership]),
  ];
  const said = judged.flatMap((verdicts) => (verdicts ?? []).flatMap(describeVerdict));
  return {
    message: few(said, 5, '; ') || 'it did not pass its first phases',
    safe: 'no agent was started, and nothing is spent',
    first: 'mend the plan',
    command: `tidegate run ${shellPath(state.planFile)}`,
  };
}

function toldOfRedBase(state: RunState): Advice | null {
  const { planFile, target, checks, branch } = state;
  const check = Object.values(checks).find(({ tree, outcome }) => tree === branch?.tree && outcome !== 'passed');
  if (check === undefined) return null;
  return {
    message: `check ${check.name} ${check.outcome} on ${target.branch} itself, before any task began`,
    lines: printed(state, check.name, check.tree),
    safe: 'no agent was started, and nothing is spent',
    first: `mend ${target.branch} and commit`,
    command: `tidegate run ${shellPath(planFile)}`,
  };
}
