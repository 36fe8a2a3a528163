import { checkOutput } from '../../domain/explain/hold.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { Explained } from '../../domain/explain/sentence.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { type RunState, selectedWaves, tasksOfWave } from '../../domain/run/run.ts';
import type { TaskState } from '../../domain/run/task.ts';
import type { Stored } from '../../ports/ledger.ts';
import { endLine } from '../../view/run-view.ts';
import { taskWords } from '../../view/task-line.ts';

/** What a CI system is told of a run, or of a plan that was refused before one began. */
export type CiReport = {
  readonly title: string;
  readonly good: boolean;
  readonly suites: readonly CiSuite[];
  readonly problems: readonly CiProblem[];
};
export type CiSuite = { readonly name: string; readonly cases: readonly CiCase[] };
export type CiCase = {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Null where it was not measured. */
  readonly seconds: number | null;
  /** Why it is not `passed`, or what it came to. */
  readonly message: string;
  readonly output: string;
};
/** Something for a person, where there is one at a place in a file. */
export type CiProblem = {
  readonly title: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
};

export function runReport(state: RunState, stored: readonly Stored[]): CiReport {
  const waves = selectedWaves(state).map((wave) => ({
    name: `wave ${wave.index}`,
    cases: tasksOfWave(state, wave.index).map((task) => taskCase(state, task, stored)),
  }));
  const checks = checkCases(state);
  const ended = endLine(state);
  return {
    title: `${state.run}: ${ended ?? 'waits for a person'}`,
    good: ended !== null && state.ended !== 'failed' && state.ended !== 'rejected',
    suites: checks.length === 0 ? waves : [...waves, { name: 'checks', cases: checks }],
    problems: [...failedChecks(checks), ...needProblems(state)],
  };
}

/** Mistakes in a plan: each one at its place. */
export const refusedReport = (findings: readonly Explained[]): CiReport => ({
  title: 'the plan was refused; nothing was started',
  good: false,
  suites: [
    {
      name: 'plan',
      cases: findings.map((finding) => ({
        name: finding.where ?? finding.rule,
        outcome: 'failed',
        seconds: null,
        message: finding.detail,
        output: finding.fix ?? '',
      })),
    },
  ],
  problems: findings.map((finding) => ({
    title: 'plan',
    message: finding.fix === undefined ? finding.detail : `${finding.detail}\n${finding.fix}`,
    ...placeOf(finding.where ?? ''),
  })),
});

const good = ['merged', 'done', 'ready'];
const bad = ['held', 'failed'];

function taskCase(state: RunState, task: TaskState, stored: readonly Stored[]): CiCase {
  const { word, detail } = taskWords(state, task);
  const { status } = task.progress;
  const need = needsOf(state).find((one) => one.task === task.id);
  return {
    name: task.id,
    outcome: good.includes(status) ? 'passed' : bad.includes(status) ? 'failed' : 'skipped',
    seconds: workedSeconds(task, stored),
    message: detail === '' ? word : `${word}: ${detail}`,
    output: [need?.command ?? '', failingTail(state, task)].filter(Boolean).join('\n\n'),
  };
}

/** From the start to the end of each attempt. */
function workedSeconds(task: TaskState, stored: readonly Stored[]): number | null {
  let began: number | null = null;
  let worked: number | null = null;
  for (const { at, event } of stored) {
    if (!('task' in event) || event.task !== task.id) continue;
    if (event.type === 'attempt-started') began = Date.parse(at);
    if (event.type !== 'attempt-ended' || began === null) continue;
    worked = (worked ?? 0) + (Date.parse(at) - began) / 1000;
    began = null;
  }
  return worked;
}

/** What the check that holds a task printed last. */
function failingTail(state: RunState, { progress }: TaskState): string {
  if (progress.status !== 'held' || progress.hold.because !== 'check') return '';
  const { check: name } = progress.hold;
  const red = Object.values(state.checks).filter((check) => check.name === name && check.outcome !== 'passed');
  const last = red.at(-1);
  return last === undefined ? '' : checkOutput(last).trimEnd();
}

/** On what was integrated, or on the base when that is already red. */
const checkCases = ({ branch, checks }: RunState): readonly CiCase[] =>
  Object.values(checks)
    .filter(({ tree }) => tree === branch?.tree)
    .map((check) => ({
      name: check.name,
      outcome: check.outcome === 'passed' ? 'passed' : 'failed',
      seconds: null,
      message: check.outcome,
      output: check.outcome === 'passed' ? '' : checkOutput(check).trimEnd(),
    }));

const failedChecks = (checks: readonly CiCase[]): readonly CiProblem[] =>
  checks
    .filter(({ outcome }) => outcome !== 'passed')
    .map(({ name, output }) => ({ title: `check ${name}`, message: output, file: null, line: null, column: null }));

function needProblems(state: RunState): readonly CiProblem[] {
  return needsOf(state).map(({ task: id, message, command }) => {
    const task = Object.values(state.tasks).find((one) => one.id === id);
    return {
      title: task === undefined ? state.run : `${state.run}/${task.id}`,
      message: `${message}\n${command}`,
      file: task === undefined ? null : fileOf(state, task),
      line: null,
      column: null,
    };
  });
}

/** Where a person looks first: the file that is in the way, else what the task was told. */
function fileOf({ plan }: RunState, { id, progress }: TaskState): string | null {
  const hold = progress.status === 'held' ? progress.hold : null;
  const inTheWay =
    hold?.because === 'conflict'
      ? hold.files
      : hold?.because === 'gate'
        ? hold.verdicts
            .flatMap((verdict) => (verdict.outcome === 'pass' ? [] : verdict.findings))
            .map(({ where }) => where)
        : [];
  return inTheWay[0] ?? plannedById(plan, id)?.directive.file ?? null;
}

/** `file`, `file:line` or `file:line:column`. */
function placeOf(where: string): Pick<CiProblem, 'file' | 'line' | 'column'> {
  const [, file, line, column] = /^(.*?)(?::(\d+))?(?::(\d+))?$/.exec(where) ?? [];
  return {
    file: file === undefined || file === '' ? null : file,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
  };
}
