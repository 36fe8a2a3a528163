import type { Trip } from '../breaker/spirals.ts';
import type { ClosureRole } from '../closure/roles.ts';
import type { Breach, Ending } from '../gates/evidence.ts';
import type { Finding } from './finding.ts';

/** Reasons why an attempt, a check or a generator ended or never started, and why a handoff or a tool call was refused. */
export type AttemptRules = JobRules & HandoffRules & DenialRules;

type JobRules = {
  // never started
  /** The program does not exist inside the fence. */
  'program-missing': { readonly program: string };
  /** The program is not on the person's PATH. */
  'program-not-found': { readonly program: string };
  /** The directory of the program contains the checkout, so agents must not see it. */
  'program-not-shown': { readonly program: string };
  'no-bubblewrap': { readonly restricted: boolean };
  'tools-missing': { readonly tools: readonly string[] };
  /** `closed` is the setting that forbids user namespaces. `words` is bubblewrap's output. */
  'no-namespaces': { readonly closed: NamespaceSetting; readonly words: string };
  'unknown-machine': { readonly machine: string };
  'fence-breached': { readonly breaches: readonly Breach[] };
  /** The fence ended before the agent started. `words` is its output. */
  'fence-ended': Pick<Ending, 'code' | 'signal'> & { readonly words: string };
  /** The fence program could not be started. `words`: the system error, then its output. */
  'fence-not-started': { readonly words: readonly string[] };
  'workspace-not-made': { readonly because: Finding } | { readonly words: string };
  /** The result of an earlier setup could not be copied. */
  'setup-not-copied': { readonly path: string; readonly code: number | null };
  /** `file` is where its login file would be; null when it has none. */
  'not-logged-in': { readonly program: string; readonly file: string | null; readonly variables: readonly string[] };
  'login-file-closed': { readonly program: string; readonly file: string; readonly uid: number };
  /** The login is a file, and only a fence can mount it. */
  'login-needs-fence': { readonly program: string };
  // ended by us
  'setup-failed': Pick<Ending, 'code' | 'signal'> & { readonly command: string; readonly words: string };
  /** Setup exceeded its time limit. */
  'setup-limit': { readonly command: string; readonly because: Finding; readonly words: string };
  'time-limit': { readonly minutes: number };
  'silence-limit': { readonly minutes: number };
  'turns-used': { readonly turns: number };
  'money-used': { readonly used: number; readonly limit: number };
  spiral: Trip;
  'stop-requested': unknown;
  'no-coordinator': unknown;
  /** The job was ended before it started. */
  'not-begun': { readonly because: Finding };
  // lost
  'supervisor-died': { readonly began: boolean };
  /** `words` is the end of its log. */
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

/** A handoff was refused. `where` is its file; absent for one that came through the socket. */
export type HandoffRules = {
  'handoff-directory': unknown;
  'handoff-file': { readonly kind: 'irregular' | 'link' | 'socket' | 'unreadable' };
  'handoff-size': { readonly bytes: number; readonly limit: number };
  'handoff-encoding': unknown;
  'handoff-json': unknown;
  'handoff-schema': HandoffMisfit;
  'handoff-stale': unknown;
  /** An ordinary task gave a report. */
  'report-unexpected': unknown;
  /** A closure role handed off without a report. `choices`: its words. */
  'report-absent': { readonly role: ClosureRole; readonly choices: readonly string[] };
  'report-word': { readonly role: ClosureRole; readonly word: string; readonly choices: readonly string[] };
  /** `key` is a part of a report that this role does not have. */
  /** A second report of the same attempt that is milder than the first one. */
  'report-milder': { readonly word: string; readonly first: string };
  'report-part': { readonly role: ClosureRole; readonly key: string };
  /** Deploy reports healthy without these environments. */
  'report-environments': { readonly choices: readonly string[] };
  /** `words`: an item that is not in the docs queue. `choices`: the queue. */
  'report-item': { readonly words: string; readonly choices: readonly string[] };
  /** A command ended with 126 or 127, by which a shell says that a program cannot be run. */
  'command-status': { readonly command: string; readonly code: number };
};

export type HandoffMisfit =
  | { readonly fault: 'not-object' | 'status' | 'summary' | 'nonce' | 'claims' }
  | { readonly fault: 'unknown-key' | 'list'; readonly key: string }
  | { readonly fault: 'report-object' | 'report-word' | 'report-regressions' }
  | { readonly fault: 'report-key' | 'report-list' | 'report-dimension' | 'report-environment'; readonly key: string };

/** A tool call was refused. Calls out of scope are `ScopeRules` without a `change`. */
export type DenialRules = {
  /** `where` is the path, in the person's checkout or elsewhere. */
  'outside-workspace': { readonly place: 'checkout' | 'elsewhere'; readonly workspace: string };
  /** `where` is a path in the agent's home that steers agents. */
  'own-config': unknown;
  'git-command': { readonly command: string };
  'no-verify': unknown;
  'removes-workspace': { readonly target: string };
  /** `pattern` as in `block` or `forbid`. */
  'blocked-command': { readonly pattern: string };
  forbidden: { readonly pattern: string };
  network: NetworkFault;
  /** The agent's own settings refused the call. */
  'agent-denied': { readonly words: string };
};

/** `target` is the requested host and port. */
export type NetworkFault =
  | { readonly fault: 'not-host' | 'not-listed' | 'not-proxy-request'; readonly target: string }
  | { readonly fault: 'not-public'; readonly target: string; readonly addresses: readonly string[] };

/** The setting that forbids unprivileged user namespaces. */
export type NamespaceSetting = 'apparmor' | 'clone' | 'count' | 'unknown';
