import type { GateRules } from './gate-rules.ts';
import type { HaltRules } from './halt-rules.ts';
import type { LandingRules } from './landing-rules.ts';
import type { MergerRules } from './merger-rules.ts';
import type { RequestRules } from './request-rules.ts';
import type { ScopeRules } from './scope-rules.ts';
import type { SessionRules } from './session-rules.ts';

/**
 * Something that is wrong or in the way, as data: which rule, where, and the facts that its sentence needs. Findings are stored;
 * sentences are not (`explain/`). `where` is a path, `run/task` or `file:line:column`.
 * `words` holds what people, agents and programs said, masked and bounded. It is shown and never compared.
 */
export type Finding = FindingsOf<Rules> | LegacyFinding;

/** Every rule with its facts. */
export type Rules = GateRules & ScopeRules & RequestRules & HaltRules & LandingRules & MergerRules & SessionRules;
export type Rule = keyof Rules;

export type FindingsOf<R> = { [K in keyof R & string]: { readonly rule: K; readonly where?: string } & R[K] }[keyof R &
  string];

/** One of these rules. */
export type FindingOf<K extends Rule> = Extract<FindingsOf<Rules>, { readonly rule: K }>;

export type LegacyFinding = {
  readonly rule: string;
  readonly detail: string;
  readonly where?: string;
  readonly fix?: string;
};
