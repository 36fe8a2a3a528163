import type { TaskId, TreeId } from '../base/ids.ts';

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
  /** The tree of the task's snapshot that the bundle vouches for. It counts for no other tree. */
  readonly tree: TreeId;
  /** The levels that the bundle holds up. */
  readonly holds: ExitTerms;
};

/** Tells whether a level is the required one or a higher one. */
export function reaches(part: ExitPart, level: string | undefined, required: string): boolean {
  const levels: readonly string[] = exitLevels[part];
  return level !== undefined && levels.includes(level) && levels.indexOf(level) >= levels.indexOf(required);
}
