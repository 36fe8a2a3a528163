import type { Wave } from '../../dcm/session.ts';
import type { SubtaskStatus } from '../ledger/dcm-commands.ts';

/** Why a session that others drive refuses what it is asked for. Over HTTP the code is the rule without `session-`. */
export type SessionRules = {
  'session-unknown-wave': { readonly wave: number };
  'session-unknown-batch': { readonly batch: string };
  'session-unknown-subtask': { readonly subtask: string };
  /** `then` is what it keeps from happening: `next` would overtake it; null: nothing can follow yet. */
  'session-unfinished-wave': {
    readonly wave: number;
    readonly status: Wave['status'];
    readonly empty: boolean;
    readonly next: number | null;
  };
  'session-ended-wave': {
    readonly wave: number;
    readonly status: Wave['status'];
    readonly action: 'start' | 'submit';
  };
  'session-late-wave': { readonly wave: number; readonly begun: number };
  /** `failed` is the wave that failed; null: none was completed. `next` is the first that waits. */
  'session-no-next-wave': { readonly failed: number | null; readonly next: number | null };
  'session-settled-subtask': { readonly status: SubtaskStatus };
  'session-bad-transition': {
    readonly from: SubtaskStatus;
    readonly to: SubtaskStatus;
    readonly allowed: readonly SubtaskStatus[];
  };
  'session-blocked': { readonly by: readonly Standing[] };
  'session-bad-blocker':
    | { readonly fault: 'unknown'; readonly task: string; readonly blocker: string }
    | {
        readonly fault: 'later';
        readonly task: string;
        readonly wave: number;
        readonly blocker: string;
        readonly later: number;
      };
  /** Each waits for the one after it; the first is the last as well. */
  'session-cycle': { readonly ring: readonly string[] };
  'session-unfinished-batch': { readonly open: readonly Standing[] };
  /** `kind` is the shape that it has. */
  'session-secret': { readonly kind: string };
  'session-key-reused': unknown;
};

type Standing = { readonly subtask: string; readonly status: SubtaskStatus };
