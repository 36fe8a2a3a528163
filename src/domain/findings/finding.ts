import type { DocumentRules } from './plan/document-rules.ts';
import type { PlanRules } from './plan/plan-rules.ts';
import type { PreflightRules } from './plan/preflight-rules.ts';
import type { RepositoryRules } from './plan/repository-rules.ts';
import type { ScopeRules } from './plan/scope-rules.ts';
import type { SettingsRules } from './plan/settings-rules.ts';
import type { AttemptRules } from './run/attempt-rules.ts';
import type { DenialRules } from './run/denial-rules.ts';
import type { GateRules } from './run/gate-rules.ts';
import type { HaltRules } from './run/halt-rules.ts';
import type { HandoffRules } from './run/handoff-rules.ts';
import type { LandingRules } from './run/landing-rules.ts';
import type { MergerRules } from './run/merger-rules.ts';
import type { PullRequestRules } from './run/pull-request-rules.ts';
import type { RequestRules } from './run/request-rules.ts';
import type { SessionRules } from './run/session-rules.ts';
import type { SnapshotRules } from './run/snapshot-rules.ts';
import type { ThreadRules } from './run/thread-rules.ts';

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
  SessionRules;
export type Rule = keyof Rules;

export type FindingsOf<R> = { [K in keyof R & string]: { readonly rule: K; readonly where?: string } & R[K] }[keyof R &
  string];

/** One of these rules. */
export type FindingOf<K extends Rule> = Extract<Finding, { readonly rule: K }>;
