import type { AttemptRules, DenialRules, HandoffRules } from './attempt-rules.ts';
import type { ScopeRules, SnapshotRules } from './change-rules.ts';
import type { DcmRules } from './dcm-rules.ts';
import type { DocumentRules } from './document-rules.ts';
import type { GateRules, ThreadRules } from './gate-rules.ts';
import type { HaltRules } from './halt-rules.ts';
import type { LandingRules, PullRequestRules } from './landing-rules.ts';
import type { MergerRules } from './merger-rules.ts';
import type { PlanRules, SettingsRules } from './plan-rules.ts';
import type { PreflightRules, RepositoryRules } from './repository-rules.ts';
import type { RequestRules } from './request-rules.ts';

/**
 * Something that is wrong or in the way, as data: which rule, where, and the facts that its sentence needs. Findings are stored;
 * sentences are not (`explain/`). `where` is a path, `run/task` or `file:line:column`.
 * `words` holds what people, agents and programs said, masked and bounded. It is shown and never compared.
 */
export type Finding = FindingsOf<Rules>;

/** Every rule with its facts. */
export type Rules = GateRules &
  ScopeRules &
  DocumentRules &
  PlanRules &
  SettingsRules &
  RepositoryRules &
  PreflightRules &
  AttemptRules &
  SnapshotRules &
  HandoffRules &
  DenialRules &
  ThreadRules &
  RequestRules &
  HaltRules &
  LandingRules &
  PullRequestRules &
  MergerRules &
  DcmRules;
export type Rule = keyof Rules;

export type FindingsOf<R> = { [K in keyof R & string]: { readonly rule: K; readonly where?: string } & R[K] }[keyof R &
  string];

/** One of these rules. */
export type FindingOf<K extends Rule> = Extract<Finding, { readonly rule: K }>;
