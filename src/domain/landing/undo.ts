import type { CommitId, TaskId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';

/** The part of a run that is on the person's branch, and the undo that is under way. */
export type UndoState = {
  /** `undone` when all of it was undone since it last landed. */
  readonly status: 'nothing' | 'landed' | 'undone';
  /** Tasks that landed since the last undo of the whole run, including those that were undone one by one. */
  readonly landed: readonly TaskId[];
  /** The commits that landed for them; of a rebuilt landing the rebuilt ones. */
  readonly commits: Readonly<Record<TaskId, CommitId>>;
  /** Tasks that were undone one by one since the last undo of the whole run. */
  readonly tasks: readonly TaskId[];
  /** Reverts that wait for their checks; null when there is no undo, or the branch can simply move back. */
  readonly prepared: (Reverts & { readonly tries: number }) | null;
};

export type Reverts = Omit<Extract<RunEvent, { type: 'undo-prepared' }>, 'type'>;

export const noUndo: UndoState = { status: 'nothing', landed: [], commits: {}, tasks: [], prepared: null };

export function evolveUndo(state: UndoState, event: RunEvent): UndoState {
  switch (event.type) {
    case 'landed':
    case 'pull-request-landed':
      return {
        ...state,
        status: 'landed',
        landed: [...state.landed, ...event.tasks],
        commits: {
          ...state.commits,
          ...Object.fromEntries(event.commits.map(({ task, commit }) => [task, commit])),
        },
      };
    case 'undo-prepared': {
      const { type: _, ...reverts } = event;
      const before = state.prepared?.task === event.task ? state.prepared.tries : 0;
      return { ...state, prepared: { ...reverts, tries: before + 1 } };
    }
    case 'undo-refused':
      return { ...state, prepared: null };
    case 'undone':
      return event.task === null
        ? { ...noUndo, status: 'undone', commits: state.commits }
        : { ...state, tasks: [...state.tasks, event.task], prepared: null };
    default:
      return state;
  }
}

/** Returns merged tasks that are not on the person's branch: they have not landed since the run was last undone as a whole. */
export const leftToLand = ({ tasks, undo }: Pick<RunState, 'tasks' | 'undo'>): readonly TaskId[] =>
  Object.values(tasks)
    .filter(({ id, progress }) => progress.status === 'merged' && !undo.landed.includes(id))
    .map(({ id }) => id);

/** Tells whether a run or task is no longer on the branch, because it was undone. */
export const isUndone = ({ undo }: Pick<RunState, 'undo'>, task: TaskId | null): boolean =>
  undo.status === 'undone' || (task !== null && undo.tasks.includes(task));

/** True when taking the whole run back needs no reverts: nothing came on top of its landings, nor between them. */
export function isExactUndo(
  landings: readonly { readonly old: CommitId | null; readonly new: CommitId }[],
  tip: CommitId | null,
  task: TaskId | null,
): boolean {
  const isUnbroken = landings.every((landing, index) => index === 0 || landings[index - 1]?.new === landing.old);
  return task === null && tip === landings.at(-1)?.new && isUnbroken;
}
