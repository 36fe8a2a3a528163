import type { TaskId } from '../domain/base/ids.ts';

/** How much a snapshot changed against its base. Binary files count as files, without lines. */
export type Diffstat = { readonly files: number; readonly added: number; readonly removed: number };

/** What the ledger does not hold of a task, read from files and trees beside it. */
export type TaskActivity = {
  /** The last thing that its agent did or printed, on one line; null when it is not at work, or has done nothing yet. */
  readonly doing: string | null;
  /** Null while there is no snapshot. */
  readonly changes: Diffstat | null;
};

export type Activity = ReadonlyMap<TaskId, TaskActivity>;

/** `3 files, +12 −4` */
export const diffstatText = ({ files, added, removed }: Diffstat): string =>
  `${files} file${files === 1 ? '' : 's'}, +${added} −${removed}`;
