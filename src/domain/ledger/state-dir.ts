/**
 * Paths inside the state directory of one repository, the same for every process. docs/architecture.md describes each under "State".
 */
export const stateDir = (root: string) => ({
  root,
  ledger: `${root}/ledger.db`,
  repository: `${root}/repo.git`,
  mergerRecord: `${root}/merger.json`,
  landingJournal: `${root}/landing.json`,
  run: (run: string) => `${root}/runs/${run}`,
  writtenPlan: (run: string) => `${root}/runs/${run}/plan.yaml`,
  job: (id: string) => `${root}/jobs/${id}`,
  /** Content of the proofs of a job. */
  evidence: (id: string) => `${root}/jobs/${id}/evidence`,
  jobs: `${root}/jobs`,
  cache: `${root}/cache`,
  shells: `${root}/shells`,
  copies: `${root}/copies`,
  edits: `${root}/edits`,
  lfs: `${root}/lfs`,
  stores: `${root}/stores`,
});
export type StateDir = ReturnType<typeof stateDir>;

/** Returns the directory that a person edits under this name; null for a name that could lead elsewhere. */
export const editedFiles = ({ edits }: Pick<StateDir, 'edits'>, copy: string): string | null =>
  /^[\w-]{1,200}$/.test(copy) ? `${edits}/${copy}/files` : null;

/** Refs of our own bare repository. */
export const refs = {
  runBranch: (run: string) => `refs/tidegate/runs/${run}`,
  /** Keeps the base of a task reachable. */
  taskBase: (run: string, task: string) => `refs/tidegate/bases/${run}/${task}`,
  candidate: (run: string, wave: number, round: number) => `refs/tidegate/candidates/${run}/${wave}.${round}`,
  attempt: (attempt: string) => `refs/tidegate/attempts/${attempt}`,
  /** A person's edit of a task. */
  edit: (run: string, task: string, number: number) => `refs/tidegate/edits/${run}/${task}.${number}`,
  /** A landing with conflicts and both sides; below, its resolutions by people. */
  conflict: (run: string) => `refs/tidegate/conflicts/${run}`,
  landingEdit: (run: string, number: number) => `refs/tidegate/landing-edits/${run}.${number}`,
  rescue: (attempt: string) => `refs/tidegate/rescue/${attempt}`,
  landing: (run: string) => `refs/tidegate/landing/${run}`,
  /** The person's uncommitted changes at the start of a run. */
  uncommitted: (run: string) => `refs/tidegate/uncommitted/${run}`,
  undo: (run: string) => `refs/tidegate/undo/${run}`,
};
