import type { Phase } from './phase.ts';

/**
 * Each gate with the version of its rules. A verdict names it, so that a gate may change without rewriting what was judged before:
 * replay compares verdicts of the same version only. Raised whenever a gate's rules change; a test compares their hashes.
 */
export const gateVersions = {
  contract: 2,
  load: 3,
  repository: 3,
  thread: 1,
  directives: 1,
  ownership: 3,
  approval: 1,
  workspace: 1,
  fence: 1,
  task: 1,
  exit: 2,
  handoff: 3,
  report: 3,
  snapshot: 6,
  secrets: 6,
  scope: 8,
  sides: 2,
  files: 1,
  changes: 1,
  deliverables: 2,
  'exit-contract': 1,
  evidence: 2,
  plan: 1,
  round: 4,
  check: 2,
  role: 4,
  bundle: 1,
  component: 1,
  'run-branch': 1,
  proof: 1,
} as const satisfies Readonly<Record<string, number>>;

export type Gate = keyof typeof gateVersions;

/** Raised when a phase gets or loses a gate. */
export const phaseVersions = {
  contract: 2,
  load: 2,
  thread: 1,
  preflight: 1,
  ownership: 3,
  approval: 1,
  dispatch: 1,
  monitor: 5,
  closure: 5,
  merge: 1,
} as const satisfies Readonly<Record<Phase, number>>;

/** Versions of decisions that are no verdicts: files that no snapshot holds, the settlement of an attempt, and requests of a session. */
export const decisionVersions = { kept: 1, settlement: 5, session: 5 } as const satisfies Readonly<
  Record<string, number>
>;
