import type { CommitId, TaskId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';

/** The part of a run that is on the person's branch, and the undo that is under way. */
export type UndoState = {
  /** `undone`: all of it was taken back since it last landed. */
  readonly standing: 'nothing' | 'landed' | 'undone';
  /** Landed since the last undo of the whole run; those that were taken back one by one stay named. */
  readonly landed: readonly TaskId[];
  /** The commits that landed for them; of a rebuilt landing the rebuilt ones. */
  readonly commits: Readonly<Record<TaskId, CommitId>>;
  /** Taken back one by one since the last undo of the whole run. */
  readonly tasks: readonly TaskId[];
  /** Reverts that wait for their checks; null when none are asked for, or the branch can simply go back. */
  readonly prepared: (Reverts & { readonly tries: number }) | null;
};

export type Reverts = Omit<Extract<RunEvent, { type: 'undo-prepared' }>, 'type'>;

export const noUndo: UndoState = { standing: 'nothing', landed: [], commits: {}, tasks: [], prepared: null };

export function evolveUndo(state: UndoState, event: RunEvent): UndoState {
  switch (event.type) {
    case 'landed':
    case 'pull-request-landed':
      return {
        ...state,
        standing: 'landed',
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
        ? { ...noUndo, standing: 'undone', commits: state.commits }
        : { ...state, tasks: [...state.tasks, event.task], prepared: null };
    default:
      return state;
  }
}

/** Merged, and not on the person's branch: nobody has landed it since the run was last undone as a whole. */
export const leftToLand = ({ tasks, undo }: Pick<RunState, 'tasks' | 'undo'>): readonly TaskId[] =>
  Object.values(tasks)
    .filter(({ id, progress }) => progress.status === 'merged' && !undo.landed.includes(id))
    .map(({ id }) => id);

/** Nothing of it is on the branch any more, because it was taken back. */
export const isUndone = ({ undo }: Pick<RunState, 'undo'>, task: TaskId | null): boolean =>
  undo.standing === 'undone' || (task !== null && undo.tasks.includes(task));
