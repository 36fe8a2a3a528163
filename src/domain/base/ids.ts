declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `<slug>-<4 chars>`; also the name of the run's stream in the ledger. */
export type RunId = Branded<'RunId'>;
/** `^[a-z0-9][a-z0-9-]{0,63}$`, unique in a run. */
export type TaskId = Branded<'TaskId'>;
/** `<run>.<task>.<number>`: one launch of an agent on a task. */
export type AttemptId = Branded<'AttemptId'>;
/** A full hexadecimal object id of a commit. */
export type CommitId = Branded<'CommitId'>;
/** A full hexadecimal object id of a tree. */
export type TreeId = Branded<'TreeId'>;
/** SHA-256 of the canonical frozen plan, hexadecimal. */
export type PlanHash = Branded<'PlanHash'>;

export const runId = (value: string): RunId => value as RunId;
export const taskId = (value: string): TaskId => value as TaskId;
export const attemptId = (run: RunId, task: TaskId, number: number): AttemptId =>
  `${run}.${task}.${number}` as AttemptId;
export const commitId = (value: string): CommitId => value as CommitId;
export const treeId = (value: string): TreeId => value as TreeId;
export const planHash = (value: string): PlanHash => value as PlanHash;

export const idPattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
export const objectIdPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
