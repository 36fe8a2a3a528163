import type { Role } from '../plan/plan.ts';

export const stages = ['explore', 'implement', 'validate'] as const;
/** What a kind of agent is for, and so in which of the three stages of a plan it works. */
export type Stage = (typeof stages)[number];

/** What configuration says of a kind of agent: what is absent stays as it is. Null takes a kind away. */
export type RegistrySettings = Readonly<Record<string, AgentTypeSettings | null>>;
export type AgentTypeSettings = {
  readonly name?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly stage?: Stage | undefined;
  readonly role?: Role | undefined;
  readonly files?: number | undefined;
  readonly forbid?: readonly string[] | undefined;
  readonly model?: string | null | undefined;
};
