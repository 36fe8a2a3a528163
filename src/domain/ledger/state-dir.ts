/**
 * Paths inside the state directory of one repository, the same for every process. docs/architecture.md describes each under "State".
 */
export const stateDir = (root: string) => ({
  root,
  ledger: `${root}/ledger.db`,
  repository: `${root}/repo.git`,
  mergerRecord: `${root}/merger.json`,
  landingJournal: `${root}/landing.json`,
  runs: `${root}/runs`,
  run: (run: string) => `${root}/runs/${run}`,
  /** Files of proofs that people gave, by their SHA-256. */
  proofs: (run: string) => `${root}/runs/${run}/proofs`,
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

/** Folders of refs in our own bare repository, by the process that writes there. Only that process may remove a lock it left. */
const refFolders = {
  merger: [
    ...(['runs', 'bases', 'candidates', 'dropped', 'edits', 'conflicts', 'landing-edits'] as const),
    ...(['landing', 'uncommitted', 'undo'] as const),
  ],
  supervisor: ['attempts'],
} as const;
type RefFolder = (typeof refFolders)['merger' | 'supervisor'][number];

export const refFolder = (folder: RefFolder): string => `refs/tidegate/${folder}`;
export const mergerRefFolders: readonly string[] = refFolders.merger.map(refFolder);

const ref = (folder: RefFolder, name: string): string => `${refFolder(folder)}/${name}`;

/** Refs of our own bare repository. */
export const refs = {
  runBranch: (run: string) => ref('runs', run),
  /** Keeps the base of a task reachable. */
  taskBase: (run: string, task: string) => ref('bases', `${run}/${task}`),
  candidate: (run: string, wave: number, round: number) => ref('candidates', `${run}/${wave}.${round}`),
  attempt: (attempt: string) => ref('attempts', attempt),
  /** A snapshot of a task without the paths that a person dropped. */
  dropped: (run: string, task: string, number: number) => ref('dropped', `${run}/${task}.${number}`),
  /** A person's edit of a task. */
  edit: (run: string, task: string, number: number) => ref('edits', `${run}/${task}.${number}`),
  /** A landing with conflicts and both sides. */
  conflict: (run: string) => ref('conflicts', run),
  /** A person's resolution of such a conflict. */
  landingEdit: (run: string, number: number) => ref('landing-edits', `${run}.${number}`),
  landing: (run: string) => ref('landing', run),
  /** The person's uncommitted changes at the start of a run. */
  uncommitted: (run: string) => ref('uncommitted', run),
  undo: (run: string) => ref('undo', run),
};
