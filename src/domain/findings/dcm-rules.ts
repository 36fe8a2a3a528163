import type { DcmStageStatus, DcmSubtaskStatus } from '../ledger/dcm-events.ts';

/** Reasons why a DCM session refuses a command. Over HTTP the code is the rule without `session-`. Waves have DCM's numbers. */
export type DcmRules = {
  'session-unknown-wave': { readonly wave: number };
  'session-unknown-batch': { readonly batch: string };
  'session-unknown-subtask': { readonly subtask: string };
  /** `next` is the wave that would overtake it; null when no wave follows. */
  'session-unfinished-wave': {
    readonly wave: number;
    readonly status: DcmStageStatus;
    readonly empty: boolean;
    readonly next: number | null;
  };
  'session-ended-wave': {
    readonly wave: number;
    readonly status: DcmStageStatus;
    readonly action: 'start' | 'submit';
  };
  'session-late-wave': { readonly wave: number; readonly begun: number };
  /** `failed` is the wave that failed; null when no wave was completed. `next` is the first pending wave. */
  'session-no-next-wave': { readonly failed: number | null; readonly next: number | null };
  'session-settled-subtask': { readonly status: DcmSubtaskStatus };
  'session-bad-transition': {
    readonly from: DcmSubtaskStatus;
    readonly to: DcmSubtaskStatus;
    readonly allowed: readonly DcmSubtaskStatus[];
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
  /** Each subtask waits for the next; the first is repeated at the end. */
  'session-cycle': { readonly ring: readonly string[] };
  'session-unfinished-batch': { readonly open: readonly Standing[] };
  /** `kind` is the shape of the secret. */
  'session-secret': { readonly kind: string };
  'session-key-reused': unknown;
};

type Standing = { readonly subtask: string; readonly status: DcmSubtaskStatus };
