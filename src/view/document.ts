import { runSpend, taskSpend } from '../domain/budget.ts';
import { needsOf } from '../domain/needs.ts';
import { openUndo } from '../domain/open-undo.ts';
import { plannedById } from '../domain/plan.ts';
import { selectedWaves, tasksOfWave } from '../domain/run.ts';
import { attemptOf, liveAttempt, snapshotOf } from '../domain/task.ts';
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
    mode: state.mode,
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
      })),
    })),
    providers: providersDocument(state.providers),
    spend: runSpend(state),
    branch: state.branch,
    landing: state.landing,
    /** The undo that is under way: what of, on which commit it is prepared, and the check it waits for. */
    undo: openUndo(state),
    waits: needsOf(state).map((need) => ({ ...need, since: needSince(view, need) })),
  };
}
