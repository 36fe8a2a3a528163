import type { Providers } from '../domain/agents/provider.ts';
import { present } from '../domain/base/result.ts';
import { boardCounters } from '../domain/board/counters.ts';
import type { CheckReport } from '../domain/checks/report.ts';
import { isProven } from '../domain/closure/proven.ts';
import { derivedToShow, plannedIn } from '../domain/derived/derived-tasks.ts';
import { leftOutBy } from '../domain/derived/left-out.ts';
import { landAgain } from '../domain/explain/advice.ts';
import { adviceText, describeTrouble, describeWithFix, explain, sentenceOf } from '../domain/explain/explain.ts';
import { checkOutput, holdAdvice } from '../domain/explain/hold.ts';
import { needsOf } from '../domain/explain/needs.ts';
import type { CheckOutcome, Ending, HandoffEvidence } from '../domain/gates/evidence.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { pullRequestCommand } from '../domain/landing/pull-request.ts';
import { standingsOf } from '../domain/relaunch/task-standings.ts';
import { runSpend, taskSpend } from '../domain/run/costs.ts';
import { type RunState, selectedWaves, tasksOfWave } from '../domain/run/run.ts';
import { attemptOf, liveAttempt, snapshotOf, type TaskState } from '../domain/run/task.ts';
import { overdueIn } from './board-lines.ts';
import { closureDocument, relaunchDocument } from './closing.ts';
import { dependencyDocument } from './dependency-lines.ts';
import { orchestratorDocument } from './orchestrator-view.ts';
import { phaseMarks } from './phases.ts';
import { keptDocument, needSince, type RunView } from './run-view.ts';
import { taskWords } from './task-view.ts';

/** A run for programs, with stable names and only facts of the ledger. */
export function runDocument(view: RunView) {
  const { state, times, now } = view;
  const standings = standingsOf(state);
  return {
    run: state.run,
    plan: { name: state.plan.name, file: state.planFile, hash: state.hash },
    target: state.target,
    fence: state.plan.fence.mode === 'none' ? ('none' as const) : ('bwrap' as const),
    checks: state.plan.checks.map(({ name }) => name),
    mode: modeDocument(state),
    ended: state.ended,
    began: times.began,
    endedAt: times.ended,
    phases: phaseMarks(state).map(({ phase, id, mark }) => ({ phase, id, state: mark })),
    taps: Object.fromEntries(
      Object.entries(state.taps).flatMap(([name, tap]) => (tap === undefined ? [] : [[name, tap]])),
    ),
    waves: selectedWaves(state).map((wave) => ({
      index: wave.index,
      name: state.plan.waves[wave.index]?.name ?? '',
      closed: wave.closed,
      ...closureDocument(view, wave),
      ...(wave.bound === undefined ? {} : { thread: { board: wave.bound.board, id: wave.bound.id } }),
      tasks: [...tasksOfWave(state, wave.index), ...derivedToShow(state, wave.index)].map((task) => ({
        id: task.id,
        status: task.progress.status,
        state: standings.get(task.id) ?? 'planned',
        detail: taskWords(state, task).detail,
        proven: isProven(state, task),
        since: times.tasks[task.id] ?? null,
        launches: task.launches,
        attempt: attemptOf(task)?.id ?? null,
        owns: plannedIn(state, task.id)?.owns ?? null,
        needs: plannedIn(state, task.id)?.needs ?? [],
        granted: task.granted,
        asked: liveAttempt(task)?.requested ?? [],
        spend: taskSpend(state, task),
        base: task.base,
        snapshot: snapshotOf(task)?.commit ?? null,
        ...derivedDocument(state, task),
        ...view.activity?.get(task.id),
      })),
    })),
    ...present({ orchestrator: orchestratorDocument(state) ?? undefined }),
    providers: providersDocument(state.providers),
    spend: runSpend(state),
    branch: state.branch,
    landing: landingDocument(state),
    /** The undo in progress: its subject, the commit it is prepared on, and the check it is waiting for. */
    undo: openUndo(state),
    ...(state.dependencies === undefined
      ? {}
      : { dependencies: state.dependencies.map((one) => dependencyDocument(state.run, one)) }),
    board: boardCounters(state, now),
    /** Files that no snapshot holds. */
    kept: keptDocument(state),
    relaunch: relaunchDocument(state),
    waits: needsOf(state).map((need) => ({
      ...need,
      since: needSince(view, need),
      ...overdueIn(state, need.record, view.now),
    })),
  };
}

/** The task that its work was merged through, or the tasks that it stands for, and what that work lacks. Empty for other tasks. */
function derivedDocument(state: RunState, task: TaskState) {
  const { id, progress } = task;
  const derived = state.derived?.[id];
  const through = progress.status === 'merged' ? progress.through : undefined;
  if (derived === undefined && through === undefined) return {};
  const leftOut = leftOutBy(state, task);
  return {
    ...(derived === undefined ? {} : { purpose: derived.purpose, standsFor: derived.standsFor }),
    ...present({ through }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

function modeDocument({ run, mode }: RunState) {
  if (mode.mode !== 'halted') return mode;
  const { detail, ...advice } = sentenceOf(mode.because);
  return { mode: mode.mode, why: detail, fix: adviceText({ command: `tidegate resume ${run}`, ...advice }) ?? '' };
}

function landingDocument(state: RunState) {
  const { landing } = state;
  if (landing.status === 'offered') {
    const command = landing.url === null ? pullRequestCommand(landing, state.target.branch) : null;
    return { ...landing, command };
  }
  if (landing.status !== 'refused') return landing;
  const { because } = landing;
  const { detail, ...advice } = sentenceOf(because);
  return {
    status: landing.status,
    why: detail,
    files: 'files' in because ? because.files : [],
    fix: adviceText({ command: landAgain(state), ...advice }) ?? '',
    ...('tree' in because ? { check: { name: because.check, tree: because.tree } } : {}),
  };
}

/** An ending for programs, with its cause in words. */
export const endingDocument = ({ because, ...ending }: Ending) => ({
  ...ending,
  detail: because === undefined ? '' : describeWithFix(because),
});

export const handoffDocument = (handoff: HandoffEvidence) =>
  handoff.kind === 'invalid' ? { kind: handoff.kind, why: explain(handoff.because).detail } : handoff;

/** Nothing shows the digests of tests that passed; their number is enough. */
const shownReport = (report: CheckReport): object =>
  'tests' in report ? { failed: report.tests.failed, passed: report.tests.passed.length } : report;

export const checkDocument = (check: CheckOutcome) => {
  const { because: _, report, ...rest } = check;
  return { ...rest, ...(report === undefined ? {} : { report: shownReport(report) }), tail: checkOutput(check) };
};

const providersDocument = (providers: Providers) =>
  Object.fromEntries(
    Object.entries(providers).map(([name, provider]) => {
      if (provider.status !== 'paused') return [name, provider];
      const { kind, until } = provider.trouble;
      return [name, { ...provider, trouble: { kind, until, detail: describeTrouble(provider.trouble) } }];
    }),
  );

export type ConflictView = {
  readonly task: string | null;
  readonly files: readonly string[];
  readonly command: string;
};

/** Files with conflicts, and the command that resolves them or tries again. */
export function conflictsOf(state: RunState): readonly ConflictView[] {
  const held = Object.values(state.tasks).flatMap(({ id, progress }): readonly ConflictView[] => {
    if (progress.status !== 'held' || progress.hold.because !== 'conflict') return [];
    const { command } = holdAdvice(state, progress.hold, `${state.run}/${id}`);
    return [{ task: id, files: progress.hold.files, command }];
  });
  const { landing } = state;
  const files = landing.status === 'refused' && 'files' in landing.because ? landing.because.files : [];
  const verb = landing.status === 'refused' && landing.because.rule === 'landing-conflicts' ? 'edit' : 'land';
  return files.length === 0 ? held : [...held, { task: null, files, command: `tidegate ${verb} ${state.run}` }];
}
