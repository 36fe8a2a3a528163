import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import type { AddressFault } from '../base/web-address.ts';
import type { Unclear, Worse } from '../checks/standing.ts';
import type { ExitPart } from '../closure/exit-contract.ts';
import type { ClosureRole } from '../closure/roles.ts';
import type { Breach, CheckOutcome, Ending, FenceEvidence, Handoff, ProofFault } from '../gates/evidence.ts';
import type { GoneHunk } from '../ledger/derived-task-events.ts';
import type { WhyMissing } from '../plan/earlier-waves.ts';
import type { Maturity } from '../plan/maturity.ts';
import type { BundleLevel } from '../proofs/bundle.ts';
import type { AgentFailureKind } from '../tool-calls/agent-event.ts';
import type { Finding } from './finding.ts';

/** Findings of the gates, and reasons why a thread could not be bound. */
export type GateRules = {
  // contract and load
  'run-id': { readonly id: string };
  'plan-exists': { readonly file: string };
  /** `next` is the first open wave; null when no wave is open. Waves count from 0. */
  'wave-order': { readonly wave: number; readonly next: number | null };
  /** Earlier waves have tasks whose work is not where the run would start. `next` is the first such wave. */
  'wave-missing': {
    readonly wave: number;
    readonly next: number;
    readonly tasks: readonly TaskId[];
    readonly why: WhyMissing;
    /** The run that had these tasks; null when none did. */
    readonly run: RunId | null;
    /** With `on-branch`: the branch that holds their work. */
    readonly branch?: string;
    readonly file: string;
  };
  'plan-has-tasks': unknown;
  /** `repo:` names another repository. `actual` is null when this one has no remote. */
  'repo-claim': {
    readonly of: 'root' | 'remote';
    readonly tasks: readonly TaskId[];
    readonly expected: string;
    readonly actual: string | null;
  };
  repository: { readonly expected: CommitId; readonly actual: CommitId };
  // waves
  'thread-bound': unknown;
  'wave-has-tasks': { readonly wave: number };
  approval: { readonly decision: 'pending' | 'held' | 'rejected' | 'expired' };
  'plan-hash': unknown;
  // attempts
  'task-planned': { readonly task: TaskId };
  'workspace-base': { readonly base: CommitId; readonly actual: CommitId };
  fence: Pick<FenceEvidence, 'mode' | 'canary'> & { readonly breaches?: readonly Breach[] };
  /** With code 0, the agent did not report completion. `words` describes the failure of the agent. */
  exit: Pick<Ending, 'reason' | 'code' | 'signal'> & {
    readonly trouble?: AgentFailureKind;
    readonly because?: Finding;
    readonly words?: string;
  };
  /** `role`: the agent of a closure role, which ends with a report. */
  'handoff-present': { readonly role?: ClosureRole };
  'handoff-valid': { readonly because: Finding };
  'handoff-nonce': unknown;
  /** `words`: its summary, then the remaining work. */
  'handoff-status': { readonly status: Handoff['status']; readonly words: readonly string[] };
  /** `because` is the cause; absent when it is unknown. */
  'snapshot-present': { readonly because?: Finding };
  'sides-compared': object;
  'markers-left': object;
  'hunk-gone': Omit<GoneHunk, 'path'>;
  files: { readonly changed: number; readonly limit: number };
  changes: unknown;
  /** No added or changed file matches the pattern. */
  'deliverable-missing': { readonly pattern: string };
  // exit contracts
  /** The handoff claims less than the contract requires. `claimed` is null for a part that it does not claim. */
  'exit-claim': {
    readonly code: ClaimCode;
    readonly part: ExitPart;
    readonly level: string;
    readonly claimed: string | null;
  };
  /** The agent itself reports a gap. */
  'exit-gap': { readonly code: 'wave-proof-gap' };
  /** A declared proof was not left, or cannot be taken. */
  'proof-missing': { readonly code: 'missing-proof-artifact'; readonly path: string; readonly fault: ProofFault };
  /** Nothing holds up a level that the contract requires. */
  'level-unproven': {
    readonly code: 'missing-proof';
    readonly task: TaskId;
    readonly part: ExitPart;
    readonly level: string;
    readonly needs: 'check' | 'proof';
  };
  'draft-read': unknown;
  // rounds
  'round-has-tasks': unknown;
  /** The check has not run on this tree, or could not. */
  'check-run': { readonly check: string };
  /** `worse`: in what it is worse than on the base. */
  check: { readonly check: string; readonly outcome: CheckOutcome['outcome']; readonly worse?: Worse };
  /** The check is red and cannot be compared with its outcome on the base. */
  'check-unclear': { readonly check: string; readonly why: Unclear };
  conflict: { readonly files: readonly string[] };
  /** `words`: the relevant lines of its output. */
  'check-fails': { readonly check: string; readonly words: readonly string[] };
  // proofs, components and docs of a wave
  /** A task needs a proof that only a person can give. `run` is absent in verdicts. */
  'proof-open': {
    readonly run?: RunId;
    readonly task: TaskId;
    readonly level: BundleLevel;
    readonly code: 'missing-proof-bundle' | 'stale-proof-bundle' | 'proof-revoked' | 'proof-level-gap';
  };
  /** A file that a proof rests on is gone or was changed. `bundle` is absent for a proof that an attempt left. */
  'proof-damaged': {
    readonly run: RunId;
    readonly task: TaskId;
    readonly file: string;
    readonly fault: 'missing' | 'differs';
    readonly bundle?: string;
  };
  /** A promoted component is not proven by all its owners. `tasks`: the owners that it waits for. */
  'component-open': {
    readonly run?: RunId;
    readonly component: string;
    readonly level: Maturity;
    readonly tasks: readonly TaskId[];
    readonly code:
      | 'shared-component-sibling-pending'
      | 'component-promotion-gap'
      | 'component-proof-missing'
      | 'component-current-level-stale'
      | 'missing-component-promotions';
  };
  /** The docs role has not closed these items of the docs queue. */
  'docs-open': { readonly task: TaskId; readonly code: 'doc-closure-open'; readonly items: readonly string[] };
  // closure roles
  /** The report of a closure role keeps the wave open. `words`: its findings. */
  'role-report': {
    readonly task: TaskId;
    readonly role: ClosureRole;
    readonly code: string;
    readonly word: string;
    readonly words: readonly string[];
  };
  'open-question': { readonly run: RunId; readonly record: string };
  /**
   * The role has given no report that counts for the tree that would be merged. `code` is absent in verdicts of the first versions.
   * `because`: why the report that it gave does not count.
   */
  'role-report-missing': {
    readonly task: TaskId;
    readonly role: ClosureRole;
    readonly code?: string;
    readonly because?: Finding;
  };
  /** A closure role changed files while it judged a landing. */
  'landing-changed': { readonly task: TaskId; readonly paths: readonly string[] };
  'run-branch': { readonly expected: CommitId; readonly actual: CommitId };
  'merge-proof': unknown;
  // posting to an address, opening a thread
  'delivery-address': { readonly fault: AddressFault };
  'delivery-redirected': { readonly status: number };
  'delivery-endless': unknown;
  'delivery-late': { readonly seconds: number };
  'delivery-cut-short': unknown;
  /** `code` is the system's error code; null when there is none to show. */
  'delivery-unreachable': { readonly code: string | null };
  'delivery-refused': { readonly status: number };
  'token-unset': { readonly variable: string };
  'token-unfit': { readonly variable: string };
  'thread-without-id': unknown;
  'thread-log': { readonly code: string };
};

/** The codes that Wave Orchestration has for the same gaps. */
export type ClaimCode =
  | 'missing-wave-proof'
  | 'missing-doc-delta'
  | 'completion-gap'
  | 'durability-gap'
  | 'proof-level-gap'
  | 'doc-impact-gap';
