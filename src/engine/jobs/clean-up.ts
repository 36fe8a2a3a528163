import type { TaskId } from '../../domain/base/ids.ts';
import { few } from '../../domain/explain/text.ts';
import { discardCommand } from '../../domain/kept/discard.ts';
import { openUndo } from '../../domain/landing/landing-queue.ts';
import type { RunState } from '../../domain/run/run.ts';
import { attemptOf } from '../../domain/run/task.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { Disk } from '../../ports/disk.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { RunLog } from '../run-log.ts';

/** Why the workspace of a job is kept; `removable` only when its work is landed or was discarded by name. */
type Keeping = { readonly keep: true; readonly why: string } | { readonly keep: false; readonly why: string };

/**
 * Jobs are named `<run>.<task>.<number>` for attempts, `<run>.check.<tree>.<check>.<number>` for checks and
 * `<run>.generate.<wave>.<round>.<number>` for generated files.
 * What belongs to nobody that the ledger knows is kept: it is not ours to throw away.
 */
export function keepingOf(job: string, runs: readonly (RunState | null)[]): Keeping {
  const keeping = keepingOfWork(job, runs);
  const kept = runs.flatMap((state) => (state === null ? [] : keptOf(state, job)));
  return keeping.keep || kept.length === 0 ? keeping : { keep: true, why: `no snapshot holds ${few(kept, 1)}` };
}

/** Each path that no snapshot holds, with the command that removes it. */
const keptOf = (state: RunState, job: string): readonly string[] =>
  state.kept
    .filter(({ attempt }) => attempt === job)
    .map((kept) => `${kept.path}; to discard it: ${discardCommand(state.run, kept)}`);

function keepingOfWork(job: string, runs: readonly (RunState | null)[]): Keeping {
  const [run = '', task = '', ...rest] = job.split('.');
  const state = runs.find((known) => known?.run === run);
  if (state === undefined || state === null) return { keep: true, why: 'no run that is known here' };
  if ((task === 'check' || task === 'generate') && rest.length === 3)
    return state.ended === null || openUndo(state) !== null
      ? { keep: true, why: state.ended === null ? 'the run is open' : 'its undo is under way' }
      : { keep: false, why: `${task === 'check' ? 'a check' : 'generated files'} of a run that has ended` };
  const known = Object.values(state.tasks).find(({ id }) => id === task);
  if (known === undefined) return { keep: true, why: `no task of ${run}` };
  switch (known.progress.status) {
    case 'dropped':
      return { keep: false, why: `dropped by ${known.progress.by.who}` };
    case 'merged':
      return hasLanded(state, known.id)
        ? { keep: false, why: 'landed' }
        : { keep: true, why: whyNotLanded(state, known.id) };
    case 'done':
      return state.ended === null
        ? { keep: true, why: 'the run is open' }
        : { keep: false, why: 'changed nothing, and the run has ended' };
    case 'launching':
    case 'running':
      return attemptOf(known)?.id === job
        ? { keep: true, why: 'its agent is running' }
        : { keep: true, why: 'an earlier attempt of an open task' };
    default:
      return {
        keep: true,
        why: `${known.progress.status}, not landed; to discard it: ${dropCommand(state, known.id)}`,
      };
  }
}

/**
 * LFS objects of snapshots are kept for all runs together: one that landed is in the person's own store by then, and any
 * other may be all that there is of somebody's work.
 */
export function keepingOfLfs(runs: readonly (RunState | null)[]): Keeping {
  const hasWork = (state: RunState): boolean =>
    Object.values(state.tasks).some(
      ({ id, launches }) => launches > 0 && keepingOf(`${state.run}.${id}.1`, [state]).keep,
    );
  const open = runs.find((state) => state !== null && (state.ended === null || hasWork(state)));
  return open
    ? { keep: true, why: `${open.run} has work that is neither landed nor dropped` }
    : { keep: false, why: 'all work is landed or dropped' };
}

function whyNotLanded(state: RunState, task: TaskId): string {
  const { run, landing, target, ended } = state;
  const drop = dropCommand(state, task);
  if (landing.status === 'offered') return `its pull request is not in ${target.branch} yet; to discard it: ${drop}`;
  const why = landing.status === 'undone' ? 'its landing was undone' : 'merged, not landed yet';
  if (ended === null) return why;
  return ended === 'done'
    ? `${why}; to land or discard it: tidegate land ${run}, or ${drop}`
    : `${why}; to discard it: ${drop}`;
}

const dropCommand = ({ run }: RunState, task: TaskId): string => `tidegate drop ${run}/${task}`;

const hasLanded = ({ landing, undo, ended }: RunState, task: TaskId): boolean =>
  ended !== null && landing.status !== 'undoing' && undo.landed.includes(task);

/** Removes the files before it records that: until then, people see their names. A failure is the answer to the request. */
export async function discardKept(
  disk: Pick<Disk, 'discard'>,
  log: RunLog,
  { kept, request, number }: Effect & { readonly do: 'discard' },
): Promise<void> {
  const { task, by } = request;
  try {
    for (const { attempt, path } of kept) await disk.discard(attempt, path);
  } catch (cause) {
    if (!isEnvironmental(cause)) throw cause;
    await log.record((state) =>
      isOpen(state, number) ? [{ type: 'request-refused', request: number, because: failureOf(cause) }] : null,
    );
    return;
  }
  await log.record((state) =>
    isOpen(state, number)
      ? [
          { type: 'kept-discarded', task, kept: kept.map(({ attempt, path }) => ({ attempt, path })), by },
          { type: 'request-accepted', request: number },
        ]
      : null,
  );
}

const isOpen = (state: RunState | null, request: number): boolean =>
  state?.pending.some(({ seq }) => seq === request) === true;
