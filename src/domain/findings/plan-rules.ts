import type { AddressFault } from '../base/web-address.ts';
import type { ExitPart } from '../closure/exit-contract.ts';
import type { SubjectFault } from '../plan/commit-subject.ts';
import type { Maturity } from '../plan/maturity.ts';
import type { PatternFault } from '../scope/pattern.ts';
import type { HostFault } from '../settings/network-hosts.ts';

/** Mistakes in plans, directives and configuration, and advice on them. */
export type PlanRules = {
  'no-base': unknown;
  /** The branch does not exist, or has no commit yet. */
  'base-missing': { readonly branch: string };
  /** A text looks like a credential. `shape` is the rule that matched. */
  'plan-secret': { readonly shape: string };
  // tasks and waves
  'empty-wave': unknown;
  'duplicate-id': { readonly task: string };
  /** A closure role has this id. */
  'role-id': { readonly task: string };
  /** A task has the name of the orchestrator. */
  'orchestrator-id': { readonly task: string };
  'orchestrator-usd': { readonly usd: number; readonly run: number };
  /** A program of the repository, which the orchestrator does not see. */
  'orchestrator-program': { readonly program: string };
  'unknown-need': { readonly task: string; readonly need: string; readonly meant: string | null };
  'later-need': {
    readonly task: string;
    readonly wave: number;
    readonly need: string;
    readonly needWave: number;
  };
  /** The tasks of the cycle in order; the first is repeated at the end. */
  cycle: { readonly tasks: readonly string[] };
  'owns-required': { readonly task: string };
  'read-only-writes': { readonly task: string };
  'unknown-skill': {
    readonly task: string;
    readonly skill: string;
    readonly base: string;
    readonly meant: string | null;
  };
  // targets of eval
  'eval-catalogue': { readonly file: string; readonly base: string; readonly fault: 'missing' | 'malformed' };
  'eval-target-twice': { readonly id: string };
  /** `named` is not in the catalogue. */
  'eval-no-catalogue': { readonly id: string; readonly named: string };
  'eval-unknown': {
    readonly of: 'family' | 'benchmark';
    readonly id: string;
    readonly named: string;
    readonly meant: string | null;
  };
  // agents
  'unknown-agent': {
    readonly task: string;
    readonly agents: readonly string[];
    readonly runnable: readonly string[];
    readonly meant: string | null;
  };
  'command-missing': { readonly task: string; readonly agent: string };
  'bad-command': { readonly task: string };
  'command-unused': { readonly task: string; readonly agents: readonly string[] };
  'turns-uncounted': { readonly tasks: readonly string[] };
  'model-unlisted': { readonly agent: string; readonly host: string };
  // checks
  'check-unread': { readonly check: string; readonly commands: readonly string[] };
  // directives
  'merge-gate': DirectiveFact;
  'empty-directive': DirectiveFact;
  'directive-inline': DirectiveFact;
  'directive-section': DirectiveFact & { readonly section: 'goal' | 'scope' | 'acceptance' };
  'directive-front-matter': DirectiveFact;
  /** `words` is the vague line. */
  'directive-vague': DirectiveFact & { readonly words: string };
  'directive-long': DirectiveFact & { readonly tokens: number; readonly most: number };
  // size and maturity
  'task-large': { readonly task: string; readonly size: TaskSize };
  'wave-wide': { readonly tasks: number; readonly most: number };
  'minutes-long': { readonly minutes: number };
  /** `skipped` is empty when `to` comes before `from`. */
  /** A promoted component needs a matrix that names its current level. */
  'matrix-missing': { readonly task: string };
  /** `fault` is absent for a file that is no matrix. */
  'matrix-unread': { readonly file: string; readonly base: string; readonly fault?: 'missing' };
  'unknown-component': { readonly component: string; readonly file: string; readonly meant: string | null };
  /** `expected` is the level that the component has to be at; null for the lowest level, which nothing is promoted to. */
  'promotion-step': {
    readonly component: string;
    readonly level: Maturity;
    readonly current: string;
    readonly expected: Maturity | null;
  };
  'promotion-levels': { readonly component: string; readonly levels: readonly Maturity[] };
  'promotion-owner': { readonly task: string; readonly component: string };
  'promotion-qa': { readonly component: string; readonly level: Maturity };
  'maturity-jump': {
    readonly task: string;
    readonly component: string;
    readonly from: Maturity;
    readonly to: Maturity;
    readonly skipped: readonly Maturity[];
  };
  // exit contracts
  /** No evidence could hold up this level. `missing`: what the plan lacks for it. */
  'exit-unsupported': {
    readonly task: string;
    readonly part: ExitPart;
    readonly level: string;
    readonly missing: 'check' | 'proof' | 'docs' | 'agent';
  };
  'proof-pattern': { readonly task: string; readonly path: string };
  'deliverable-outside': { readonly task: string; readonly pattern: string };
  /** A level of maturity in `exit.completion` is read as `promotes`. */
  'exit-promotes': { readonly task: string; readonly level: string; readonly components: readonly string[] };
  /** The program of a command is a file of the repository that cannot be run on `base`. */
  'command-file': {
    readonly task: string;
    readonly path: string;
    readonly base: string;
    readonly fault: 'missing' | 'not-executable';
  };
  'exit-misspelt': { readonly task: string; readonly part: ExitPart; readonly words: string; readonly meant: string };
  'exit-free-word': {
    readonly task: string;
    readonly part: ExitPart;
    readonly words: string;
    readonly levels: readonly string[];
  };
  'free-words': {
    readonly task: string;
    readonly key: 'proofs' | 'components' | 'capabilities';
    readonly words: readonly string[];
  };
  // drafts
  'draft-slow': { readonly file: string; readonly seconds: number };
  /** Replaces `count` findings that were left out. */
  more: { readonly count: number };
  // values of plans and configuration
  /** `fault` says why a pattern leaves the repository; absent for a path. */
  'leaves-repository': { readonly path: string; readonly fault?: PatternFault };
  'bad-pattern': {
    readonly pattern: string;
    readonly fault: PatternFault | { readonly reason: 'several-drafts' | 'several-generated' };
  };
  'reserved-pattern': { readonly pattern: string; readonly directory: string };
  'not-in-this-version': { readonly key: 'dispatch' | 'repair'; readonly value: string };
  'bad-branch': { readonly branch: string };
  'bad-commit-template': SubjectFault;
  'duplicate-check': { readonly check: string };
  'bad-fence-path': { readonly path: string };
  'bad-host': { readonly host: string; readonly fault: HostFault };
  /** Does not hold the address, because some have a secret in their path. */
  'bad-address': { readonly key: string; readonly fault: AddressFault | 'query' };
  /** The repository sets more than the person allows. `words` is the value as JSON; `file` is the plan that sets it. */
  'needs-confirmation': { readonly key: string; readonly words: string; readonly file?: string };
};

/** `file` is null for a brief in the plan itself. */
export type DirectiveFact = { readonly task: string; readonly file: string | null };

export type TaskSize =
  | { readonly of: 'patterns' | 'lines'; readonly count: number }
  /** A keyword of the brief means expert work, and the task owns no narrow path. */
  | { readonly of: 'work'; readonly keyword: string };
