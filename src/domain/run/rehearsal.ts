import { describeWithFix } from '../explain/explain.ts';
import type { Ending } from '../gates/evidence.ts';

/** One part of a rehearsal that did not end well. `check` is null for setup. */
export type RehearsalProblem = {
  readonly check: string | null;
  readonly command: string;
  readonly ending: Ending;
  readonly tail: string;
  /** The branch that it was tried on. */
  readonly branch: string;
  readonly setup: string | null;
};

/** A problem in a few words, the lines of output that show it, and the remedy. */
type Diagnosis = { readonly found: string; readonly fix: string; readonly lines: readonly string[] };

/** Guesses from the output of programs, which follows no protocol. Without a match a person reads the lines themselves. */
export function diagnose(problem: RehearsalProblem): Diagnosis {
  const { ending, command, tail } = problem;
  return {
    found: `${command}: ${happened(ending)}`,
    fix: hints.map((hint) => hint(problem)).find((fix) => fix !== null) ?? lastResort(problem),
    lines: lastLines(tail.trim() === '' ? whyOf(ending) : tail),
  };
}

const whyOf = ({ because }: Ending): string => (because === undefined ? '' : describeWithFix(because));

function happened(ending: Ending): string {
  const { reason, code, signal } = ending;
  if (reason === 'exited' || reason === 'setup-failed') return `exit ${code ?? signal}`;
  if (reason === 'timed-out') return 'exceeded its time limit';
  if (reason === 'silent') return 'printed nothing until its time limit';
  return whyOf(ending).split('\n')[0] || reason;
}

/** The first that knows something is right. */
const hints: readonly ((problem: RehearsalProblem) => string | null)[] = [
  ({ ending, check }) => {
    if (ending.reason !== 'timed-out' && ending.reason !== 'silent') return null;
    return check === null
      ? 'setup has 30 minutes: let it do less'
      : `give it more: checks: [{ name: ${check}, …, minutes: 30 }]`;
  },
  (problem) => {
    const program = missingProgram(problem);
    if (program === null) return null;
    return problem.setup === null || problem.check === null
      ? `${program} is not there inside the fence: put it on your PATH (\`tidegate doctor\` lists what the fence shows), or let setup install it`
      : `${program} is not there inside the fence: let setup install it, or put it on your PATH (\`tidegate doctor\` lists what the fence shows)`;
  },
  ({ tail, check }) => {
    if (!noNetwork.test(tail)) return null;
    return check === null
      ? 'setup has network, and could not reach it: look at your proxy (HTTPS_PROXY) and try the command by itself'
      : 'checks have no network: download what they need in setup, which has network. A check can reach servers that it starts itself on localhost';
  },
  ({ tail }) =>
    /EROFS|[Rr]ead-only file system/.test(tail)
      ? 'it writes outside of its workspace: let it write below the repository or /tmp, or allow the path in your own configuration: fence: { write: [/path] }'
      : null,
  ({ tail, setup }) =>
    setup === null && /Cannot find (module|package)|MODULE_NOT_FOUND|No module named/.test(tail)
      ? 'dependencies are missing: write a setup that installs them, such as `setup: npm ci`'
      : null,
  ({ tail, check }) =>
    check !== null && /(^|[\s/'"])\.env\b|[Ee]nvironment variable|env(ironment)? var/.test(tail)
      ? 'checks see what is committed: .worktreeinclude is for agents. Let the check set what it needs: run: DATABASE_URL=… npm test'
      : null,
];

const noNetwork =
  /ENOTFOUND|EAI_AGAIN|ENETUNREACH|[Cc]ould not resolve|[Nn]ame resolution|[Nn]etwork is unreachable|no such host|Failed to resolve/;

function missingProgram({ ending, tail }: RehearsalProblem): string | null {
  const { because } = ending;
  if (because?.rule === 'program-missing' && 'program' in because) return because.program;
  return (/(?:^|: )([\w@./+-]+): (?:command )?not found\s*$/m.exec(tail)?.[1] ?? null) || null;
}

function lastResort({ check, branch, command }: RehearsalProblem): string {
  if (check === null) return `try it by itself in a fresh clone: ${command}`;
  return `it fails on ${branch} as it is, and no run starts from there: fix it, or remove it from checks`;
}

const lastLines = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-8);
