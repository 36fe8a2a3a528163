/**
 * Names inside the state directory of one repository. Pure string building: every process agrees on them.
 * What lies behind each is told in docs/architecture.md, "State".
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
  jobs: `${root}/jobs`,
  cache: `${root}/cache`,
  shells: `${root}/shells`,
  copies: `${root}/copies`,
  lfs: `${root}/lfs`,
});
export type StateDir = ReturnType<typeof stateDir>;

/** Refs of our own bare repository. */
export const refs = {
  runBranch: (run: string) => `refs/tidegate/runs/${run}`,
  /** Keeps every candidate and task base reachable. */
  taskBase: (run: string, task: string) => `refs/tidegate/bases/${run}/${task}`,
  candidate: (run: string, wave: number, round: number) => `refs/tidegate/candidates/${run}/${wave}.${round}`,
  attempt: (attempt: string) => `refs/tidegate/attempts/${attempt}`,
  rescue: (attempt: string) => `refs/tidegate/rescue/${attempt}`,
  landing: (run: string) => `refs/tidegate/landing/${run}`,
  /** The person's uncommitted changes that a run began at. */
  uncommitted: (run: string) => `refs/tidegate/uncommitted/${run}`,
  undo: (run: string) => `refs/tidegate/undo/${run}`,
};
