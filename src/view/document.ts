import { landAgain } from '../domain/explain/advice.ts';
import { adviceText, sentenceOf } from '../domain/explain/explain.ts';
import { needsOf } from '../domain/explain/needs.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { pullRequestCommand } from '../domain/landing/pull-request.ts';
import { plannedById } from '../domain/plan/plan.ts';
import { runSpend, taskSpend } from '../domain/run/costs.ts';
import { type RunState, selectedWaves, tasksOfWave } from '../domain/run/run.ts';
import { attemptOf, liveAttempt, snapshotOf } from '../domain/run/task.ts';
import { keptDocument } from './kept-lines.ts';
import { phaseMarks } from './phases.ts';
import { needSince, type RunView } from './run-view.ts';
import { taskWords } from './task-line.ts';
import { providersDocument } from './told-evidence.ts';

/** A run for programs: plain, stable names, and nothing that the ledger does not hold. */
export function runDocument(view: RunView) {
  const { state, times } = view;
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
      ...(wave.bound === undefined ? {} : { thread: { board: wave.bound.board, id: wave.bound.id } }),
      tasks: tasksOfWave(state, wave.index).map((task) => ({
        id: task.id,
        status: task.progress.status,
        detail: taskWords(state, task).detail,
        since: times.tasks[task.id] ?? null,
        launches: task.launches,
        attempt: attemptOf(task)?.id ?? null,
        owns: plannedById(state.plan, task.id)?.owns ?? null,
        needs: plannedById(state.plan, task.id)?.needs ?? [],
        granted: task.granted,
        asked: liveAttempt(task)?.requested ?? [],
        spend: taskSpend(state, task),
        base: task.base,
        snapshot: snapshotOf(task)?.commit ?? null,
        ...view.activity?.get(task.id),
      })),
    })),
    providers: providersDocument(state.providers),
    spend: runSpend(state),
    branch: state.branch,
    landing: landingDocument(state),
    /** The undo that is under way: what of, on which commit it is prepared, and the check it waits for. */
    undo: openUndo(state),
    /** Files that no snapshot holds. */
    kept: keptDocument(state),
    waits: needsOf(state).map((need) => ({ ...need, since: needSince(view, need) })),
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
