import { type RoleView, rolesOf } from '../../domain/closure/role-state.ts';
import { derivedToShow } from '../../domain/derived/derived-tasks.ts';
import { endLine } from '../../domain/explain/ending.ts';
import { checkOutput } from '../../domain/explain/hold.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { Explained } from '../../domain/explain/sentence.ts';
import { isRatchet, plannedById } from '../../domain/plan/plan.ts';
import { type RunState, selectedWaves, tasksOfWave } from '../../domain/run/run.ts';
import type { TaskState } from '../../domain/run/task.ts';
import type { Stored } from '../../ports/ledger.ts';
import { taskWords } from '../../view/task-view.ts';

/** The report of a run, or of a plan that was refused. */
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
  /** Null when it was not measured. */
  readonly seconds: number | null;
  /** The reason, or the result. */
  readonly message: string;
  readonly output: string;
};
/** A problem for a person, with its place in a file where there is one. */
export type CiProblem = {
  readonly title: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
};

export function runReport(state: RunState, stored: readonly Stored[]): CiReport {
  const waves = selectedWaves(state).map((wave) => ({
    name: `wave ${wave.index + 1}`,
    cases: [
      ...[...tasksOfWave(state, wave.index), ...derivedToShow(state, wave.index)].map((task) =>
        taskCase(state, task, stored),
      ),
      ...rolesOf(state, wave).map((role) => roleCase(state, role, stored)),
    ],
  }));
  const checks = checkCases(state);
  const ended = endLine(state);
  return {
    title: `${state.run}: ${ended ?? 'waiting for a person'}`,
    good: ended !== null && state.ended !== 'failed' && state.ended !== 'rejected',
    suites: checks.length === 0 ? waves : [...waves, { name: 'checks', cases: checks }],
    problems: [...failedChecks(checks), ...needProblems(state)],
  };
}

/** Reports the mistakes of a plan, each at its place. */
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

/** A closure role passes when it lets the wave close. One that has not ended is skipped. */
function roleCase(state: RunState, role: RoleView, stored: readonly Stored[]): CiCase {
  const task = state.tasks[role.task];
  const hasEnded = ['reported', 'absent', 'failed'].includes(role.state);
  const need = needsOf(state).find((one) => one.task === role.task);
  return {
    name: role.task,
    outcome: role.closes ? 'passed' : hasEnded ? 'failed' : 'skipped',
    seconds: task === undefined ? null : workedSeconds(task, stored),
    message: role.word === null ? role.state : `${role.state} ${role.word}`,
    output: [...role.findings, need?.command ?? ''].filter(Boolean).join('\n'),
  };
}

/** Sums up the time of all attempts. Null when there was none. */
function workedSeconds(task: TaskState, stored: readonly Stored[]): number | null {
  let startedAt: number | null = null;
  let worked: number | null = null;
  for (const { at, event } of stored) {
    if (!('task' in event) || event.task !== task.id) continue;
    if (event.type === 'attempt-started') startedAt = Date.parse(at);
    if (event.type !== 'attempt-ended' || startedAt === null) continue;
    worked = (worked ?? 0) + (Date.parse(at) - startedAt) / 1000;
    startedAt = null;
  }
  return worked;
}

/** Returns the last output of the check that holds the task. */
function failingTail(state: RunState, { progress }: TaskState): string {
  if (progress.status !== 'held' || progress.hold.because !== 'check') return '';
  const { check: name } = progress.hold;
  const red = Object.values(state.checks).filter((check) => check.name === name && check.outcome !== 'passed');
  const last = red.at(-1);
  return last === undefined ? '' : checkOutput(last).trimEnd();
}

/** Returns the checks of the integrated tree, or of the base if that already fails. One that may be red, as on the base, is no failure. */
const checkCases = ({ branch, checks, plan }: RunState): readonly CiCase[] =>
  Object.values(checks)
    .filter(({ tree }) => tree === branch?.tree)
    .map((check) => ({
      name: check.name,
      outcome:
        check.outcome === 'passed'
          ? 'passed'
          : plan.checks.some((one) => one.name === check.name && isRatchet(one))
            ? 'skipped'
            : 'failed',
      seconds: null,
      message: check.outcome,
      output: check.outcome === 'passed' ? '' : checkOutput(check).trimEnd(),
    }));

const failedChecks = (checks: readonly CiCase[]): readonly CiProblem[] =>
  checks
    .filter(({ outcome }) => outcome === 'failed')
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

/** Returns the file to look at first: one that conflicts or is out of scope, else the directive. */
function fileOf({ plan }: RunState, { id, progress }: TaskState): string | null {
  const hold = progress.status === 'held' ? progress.hold : null;
  const problemFiles =
    hold?.because === 'conflict'
      ? hold.files
      : hold?.because === 'gate'
        ? hold.verdicts
            .flatMap((verdict) => (verdict.outcome === 'pass' ? [] : verdict.findings))
            .map(({ where }) => where)
        : [];
  return problemFiles[0] ?? plannedById(plan, id)?.directive.file ?? null;
}

/** Parses `file`, `file:line` or `file:line:column`. */
function placeOf(where: string): Pick<CiProblem, 'file' | 'line' | 'column'> {
  const [, file, line, column] = /^(.*?)(?::(\d+))?(?::(\d+))?$/.exec(where) ?? [];
  return {
    file: file === undefined || file === '' ? null : file,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
  };
}
