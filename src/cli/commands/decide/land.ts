import type { TaskId } from '../../../domain/base/ids.ts';
import { chooseTasks, hasWhollyLanded, type WithoutTasks } from '../../../domain/landing/land-some.ts';
import { leftToLand } from '../../../domain/landing/undo.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { isLive } from '../../../domain/run/schedule.ts';
import { isAtRest } from '../../../engine/orders/create-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { landingNoteLines } from '../../../view/role-text.ts';
import { followRun, ticker } from '../../follow/follow.ts';
import { inForeground } from '../../follow/foreground.ts';
import { askLanding } from '../../follow/taps.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { aRun, command, exitCodes, namesInLists } from '../../frame/command.ts';
import { type RunSubject, resolveWholeRun } from '../../frame/subject.ts';

export const landCommand = command({
  name: 'land',
  group: 'decide',
  summary: 'move your branch to the proven work of a run, or to part of it',
  arguments: {
    run: { ...aRun, about: 'a run, or the first letters of its name (default: the live or newest run)' },
  },
  options: {
    only: {
      value: 'tasks',
      repeatable: true,
      about: 'land only these tasks (comma-separated); the result is checked first',
    },
    yes: { about: 'do not ask; without a terminal, running this command is the approval' },
    except: {
      value: 'tasks',
      repeatable: true,
      about: 'leave out these tasks (comma-separated) and those that need them; land them later',
    },
  },
  changes: async ({ run: typed, only, except, yes }, repo, context) => {
    const found = await resolveWholeRun(repo, 'land', typed, 'newest');
    if (!found.ok) return found.error;
    const { run } = found.value;
    const state = await mergedState(repo, found.value);
    const subject = { ...found.value, state };
    const [named, left] = [namesInLists('land --only', only), namesInLists('land --except', except)];
    if (!named.ok) return named.error;
    if (!left.ok) return left.error;
    const input = { only: named.value, except: left.value };
    const refusal = refuseAgentAction(repo, 'land', `land ${run}`);
    if (refusal !== null) return refusal;
    const chosen = chosenToLand(state, input);
    const isAsked = context.terminal.interactive && !context.json && !yes && chosen.length > 0;
    if (isAsked && (await askLanding(repo, context, state, chosen)) !== 'yes')
      return {
        exit: exitCodes.personNeeded,
        reason: 'not-confirmed',
        lines: [`Nothing has landed; ${state.target.branch} is unchanged. To land it later: tidegate land ${run}`],
        data: { run },
      };
    if (!isAsked && !context.json) for (const line of landingNoteLines(state)) context.terminal.line(line);
    const outcome = await actOn(repo, { action: 'land', subject, input });
    if (outcome.exit !== exitCodes.done || hasWhollyLanded(state)) return outcome;
    for (const { task, needs } of alsoLeftOut(state, input.except))
      if (!context.json) context.terminal.line(`${task} is left out too: it needs ${needs}.`);
    const options = { yes: false, land: false, warnings: [], fromStart: false, isBrief: true };
    return await inForeground(repo, context, run, options);
  },
});

/**
 * Waits while a coordinator merges by itself. The last decision about a run (`drop`, `resolve`, …) starts a merge, and the landing
 * can be requested only after it.
 */
async function mergedState(repo: RepositoryHandle, { run, state }: RunSubject): Promise<RunState> {
  if (!isMergingAlone(state, repo.clock.now())) return state;
  await using following = await followRun(repo, run);
  using ticks = ticker(1000);
  for (;;) {
    const view = await following.view();
    if (view === null) return state;
    if (!isMergingAlone(view.state, view.now) || !(await repo.isCoordinated())) return view.state;
    await Promise.race([following.changed(), ticks.next()]);
  }
}

/** No agent runs or is about to start, nobody has to decide, and the run is not at rest. */
const isMergingAlone = (state: RunState, now: string): boolean =>
  state.ended === null &&
  state.taps.land === undefined &&
  Object.values(state.tasks).every((task) => task.progress.status !== 'waiting' && !isLive(task)) &&
  !isAtRest(state, { now, nonce: () => '' });

/** The tasks that the person would land. Empty when the request is to be refused anyway. */
function chosenToLand(
  state: RunState,
  { only, except }: { readonly only: readonly string[] | undefined; readonly except: readonly string[] | undefined },
): readonly TaskId[] {
  const choice = chooseTasks(state, only ?? null, except ?? null);
  return choice.ok ? (choice.value?.tasks ?? leftToLand(state)) : [];
}

function alsoLeftOut(state: RunState, except: readonly string[] | undefined): WithoutTasks['also'] {
  const choice = chooseTasks(state, null, except ?? null);
  return choice.ok ? (choice.value?.also ?? []) : [];
}
