import type { CommitId, TaskId, TreeId } from '../base/ids.ts';

/** One file that defines checks and that `tasks` changed without a person's grant; without `keys` it counts as a whole. */
export type DefinitionChange = {
  readonly path: string;
  readonly keys?: readonly string[];
  readonly tasks: readonly TaskId[];
};

/**
 * A candidate or landing with the check definitions of the commit below it: `tree` is what would be merged or landed, with these
 * changes taken back.
 */
export type EarlierDefinitions = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly changes: readonly DefinitionChange[];
};

/** A check that fails with the earlier definitions, though it passed on the tree `passedOn`, which has the new ones. */
export type DefinitionDispute = {
  readonly passedOn: TreeId;
  readonly changes: readonly DefinitionChange[];
};

/** The tasks that made these changes, each once. */
export const changersIn = (changes: readonly DefinitionChange[]): readonly TaskId[] => [
  ...new Set(changes.flatMap(({ tasks }) => tasks)),
];

/** The changes that this task made, alone or with others. */
export const changesBy = (task: TaskId, changes: readonly DefinitionChange[]): readonly DefinitionChange[] =>
  changes.filter(({ tasks }) => tasks.includes(task));
