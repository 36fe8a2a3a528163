import type { RelaunchRules } from '../relaunch/relaunch-rules.ts';
import type { AttemptRules } from './attempt-rules.ts';
import type { BoardRules } from './board-rules.ts';
import type { ChangeRules } from './change-rules.ts';
import type { DcmRules } from './dcm-rules.ts';
import type { DependencyRules } from './dependency-rules.ts';
import type { DocumentRules } from './document-rules.ts';
import type { GateRules } from './gate-rules.ts';
import type { HaltRules } from './halt-rules.ts';
import type { LandingRules } from './landing-rules.ts';
import type { MergerRules } from './merger-rules.ts';
import type { PlanRules } from './plan-rules.ts';
import type { RepositoryRules } from './repository-rules.ts';
import type { RequestRules } from './request-rules.ts';

/**
 * A problem as data: its rule, its place, and the facts that its sentence needs. Findings are stored; sentences are not
 * (`explain/`). `where` is a path, `run/task` or `file:line:column`.
 * `words` holds text of people, agents and programs, masked and bounded. It is shown and never compared.
 */
export type Finding = FindingsOf<Rules>;

/** Every rule with its facts. */
export type Rules = DocumentRules &
  PlanRules &
  RepositoryRules &
  ChangeRules &
  AttemptRules &
  GateRules &
  HaltRules &
  LandingRules &
  MergerRules &
  RequestRules &
  DependencyRules &
  RelaunchRules &
  BoardRules &
  DcmRules;
export type Rule = keyof Rules;

export type FindingsOf<R> = { [K in keyof R & string]: { readonly rule: K; readonly where?: string } & R[K] }[keyof R &
  string];

/** A finding with one of these rules. */
export type FindingOf<K extends Rule> = Extract<Finding, { readonly rule: K }>;
