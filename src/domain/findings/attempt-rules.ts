import type { Trip } from '../breaker/trip.ts';
import type { Closed } from '../explain/sentences/attempt-sentences.ts';
import type { Breach, Ending } from '../gates/evidence.ts';
import type { Finding } from './finding.ts';

/** Why an attempt, a check or a generator ended as it did, or never began. */
export type AttemptRules = {
  // never launched
  /** Not inside the fence. */
  'program-missing': { readonly program: string };
  /** Not on the person's PATH. */
  'program-not-found': { readonly program: string };
  /** The directory of the program holds the checkout, so it cannot be shown to an agent. */
  'program-not-shown': { readonly program: string };
  'no-bubblewrap': { readonly restricted: boolean };
  'tools-missing': { readonly tools: readonly string[] };
  /** `closed`: the switch that keeps user namespaces from being made. `words`: bubblewrap's. */
  'no-namespaces': { readonly closed: Closed; readonly words: string };
  'unknown-machine': { readonly machine: string };
  'fence-breached': { readonly breaches: readonly Breach[] };
  /** It ended before the agent began. `words`: what it printed. */
  'fence-ended': Pick<Ending, 'code' | 'signal'> & { readonly words: string };
  /** The program that makes it could not be started. `words`: the system's, then what was printed. */
  'fence-not-started': { readonly words: readonly string[] };
  'workspace-not-made': { readonly because: Finding } | { readonly words: string };
  /** Of what an earlier setup made. */
  'setup-not-copied': { readonly path: string; readonly code: number | null };
  /** `file`: where its own login would be; null when it can have none. */
  'not-logged-in': { readonly program: string; readonly file: string | null; readonly variables: readonly string[] };
  'login-file-closed': { readonly program: string; readonly file: string; readonly uid: number };
  /** The login is a file, which only a fence can mount. */
  'login-needs-fence': { readonly program: string };
  // ended by us
  'setup-failed': Pick<Ending, 'code' | 'signal'> & { readonly command: string; readonly words: string };
  /** Setup was cut off by its time limit. */
  'setup-limit': { readonly command: string; readonly because: Finding; readonly words: string };
  'time-limit': { readonly minutes: number };
  'silence-limit': { readonly minutes: number };
  'turns-used': { readonly turns: number };
  'money-used': { readonly used: number; readonly limit: number };
  spiral: Trip;
  'stop-requested': unknown;
  'no-coordinator': unknown;
  /** It was ended before its first instruction. */
  'not-begun': { readonly because: Finding };
  // lost
  'supervisor-died': { readonly began: boolean };
  /** `words`: the last of its log. */
  'supervisor-unable': { readonly words: string };
  'supervisor-unwatched': { readonly words: string };
  // commands of `generated`
  'generator-failed': Pick<Ending, 'reason' | 'code' | 'signal'> & {
    readonly commands: readonly string[];
    readonly minutes: number;
    readonly because?: Finding;
    readonly words: readonly string[];
  };
  'generator-not-snapshotted': unknown;
  /** `where` is the generated path. */
  'generated-not-plain': unknown;
  'generated-replaces': { readonly replaced: string };
};

/** Why a handoff is not taken. `where` is its file; absent for one that came through the socket. */
export type HandoffRules = {
  'handoff-directory': unknown;
  'handoff-file': { readonly kind: 'irregular' | 'link' | 'socket' | 'unreadable' };
  'handoff-size': { readonly bytes: number; readonly limit: number };
  'handoff-encoding': unknown;
  'handoff-json': unknown;
  'handoff-schema': HandoffMisfit;
  'handoff-stale': unknown;
};

export type HandoffMisfit =
  | { readonly fault: 'not-object' | 'status' | 'summary' | 'nonce' }
  | { readonly fault: 'unknown-key' | 'list'; readonly key: string };

/** Why a call of an agent was not carried out; those about its scope are `ScopeRules` without a `change`. */
export type DenialRules = {
  /** `where` is the path: in the person's checkout, or anywhere else. */
  'outside-workspace': { readonly place: 'checkout' | 'elsewhere'; readonly workspace: string };
  /** `where` is a path in the agent's home that steers agents. */
  'own-config': unknown;
  'git-command': { readonly command: string };
  'no-verify': unknown;
  'removes-workspace': { readonly target: string };
  /** `pattern` as `block` or `forbid` has it. */
  'blocked-command': { readonly pattern: string };
  forbidden: { readonly pattern: string };
  network: NetworkFault;
  /** The agent's own settings refused it. */
  'agent-denied': { readonly words: string };
};

/** `target` is host and port as they were asked for. */
export type NetworkFault =
  | { readonly fault: 'not-host' | 'not-listed' | 'not-proxy-request'; readonly target: string }
  | { readonly fault: 'not-public'; readonly target: string; readonly addresses: readonly string[] };
