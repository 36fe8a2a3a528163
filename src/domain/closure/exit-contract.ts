import type { CommitId, TaskId, TreeId } from '../base/ids.ts';

/** The parts of an exit contract. Each lists its levels, the lowest first. */
export const exitLevels = {
  completion: ['contract', 'integrated', 'authoritative', 'live'],
  durability: ['none', 'ephemeral', 'durable'],
  proof: ['unit', 'integration', 'live'],
  docs: ['none', 'owned', 'shared-plan'],
} as const;
export type ExitPart = keyof typeof exitLevels;
export const exitParts = ['completion', 'durability', 'proof', 'docs'] as const satisfies readonly ExitPart[];

/** A level of each part. A part that is absent is not contracted, not claimed or not vouched for. */
export type ExitTerms = { readonly [P in ExitPart]?: (typeof exitLevels)[P][number] };

/** The statement of an agent about its own work. It is not evidence: gates compare it with the contract and look for what holds it up. */
export type ExitClaims = ExitTerms & { readonly state?: 'met' | 'gap' };

/** A bundle of the proof registry that is active, as closure reads it. */
export type BundleEvidence = {
  readonly id: string;
  readonly task: TaskId;
  /** The task's snapshot that the bundle vouches for, and its tree. It counts for no other snapshot. */
  readonly snapshot: CommitId;
  readonly tree: TreeId;
  /** The levels that the bundle holds up. */
  readonly holds: ExitTerms;
  /** The levels of components that it proves; absent for none. */
  readonly components?: Readonly<Record<string, string>>;
};

/** Tells whether a level is the required one or a higher one. */
export function reaches(part: ExitPart, level: string | undefined, required: string): boolean {
  const levels: readonly string[] = exitLevels[part];
  return level !== undefined && levels.includes(level) && levels.indexOf(level) >= levels.indexOf(required);
}

/** A file that a task has to leave as proof. `for`: the level that it holds up; absent: every level that a file holds up. */
export type PlannedProof = { readonly path: string; readonly kind?: string; readonly for?: ProofPurpose };

/** Levels that a file holds up. Every other level needs checks that ran here, or a person. */
export const proofPurposes = ['ephemeral', 'durable', 'owned', 'shared-plan'] as const;
type ProofPurpose = (typeof proofPurposes)[number];

/**
 * The evidence that a level needs. `snapshot-check`: the checks of the plan, recorded on the snapshot's own tree. `candidate-check`:
 * the same on the candidate's. `bundle`: a bundle of the proof registry. `artifact`: a declared proof that the snapshot took.
 */
type Support = 'nothing' | 'snapshot-check' | 'candidate-check' | 'bundle' | 'artifact';

const supports: { readonly [P in ExitPart]: Readonly<Record<(typeof exitLevels)[P][number], Support>> } = {
  completion: { contract: 'nothing', integrated: 'candidate-check', authoritative: 'bundle', live: 'bundle' },
  durability: { none: 'nothing', ephemeral: 'artifact', durable: 'artifact' },
  proof: { unit: 'snapshot-check', integration: 'candidate-check', live: 'bundle' },
  docs: { none: 'nothing', owned: 'artifact', 'shared-plan': 'artifact' },
};

/** One level that a contract requires. */
export type RequiredLevel = { readonly part: ExitPart; readonly level: string; readonly support: Support };

/** The levels that a task has to reach, part by part. Other words in `exit` mean nothing. */
export const requiredLevels = (exit: WrittenExit): readonly RequiredLevel[] =>
  exitParts.flatMap((part) => {
    const level = exit[part];
    const support = level == null ? undefined : supportOf(part, level);
    return level == null || support === undefined ? [] : [{ part, level, support }];
  });

/** `exit` as a plan has it. */
export type WrittenExit = { readonly [P in ExitPart]?: string | null | undefined };

function supportOf(part: ExitPart, level: string): Support | undefined {
  const known: Readonly<Record<string, Support>> = supports[part];
  return Object.hasOwn(known, level) ? known[level] : undefined;
}

/** Tells whether a declared proof holds up this level. */
export const provesLevel = ({ for: purpose }: PlannedProof, { part, level, support }: RequiredLevel): boolean =>
  support === 'artifact' && (purpose === undefined || reaches(part, purpose, level));
