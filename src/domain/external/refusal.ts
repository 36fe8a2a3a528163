import type { FindingsOf } from '../findings/finding.ts';
import type { SessionRules } from '../findings/session-rules.ts';

/** Why a session refuses what it is asked for. */
export type Refusal = FindingsOf<SessionRules>;
