import type { Trip } from '../../breaker/trip.ts';
import type { Breach, Ending } from '../../gates/evidence.ts';
import type { Closed } from '../../texts/no-fence.ts';
import type { Finding } from '../finding.ts';

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
