import type { SessionRules } from '../domain/findings/dcm-rules.ts';
import type { FindingsOf } from '../domain/findings/finding.ts';

/** Why a session refuses what it is asked for. */
export type Refusal = FindingsOf<SessionRules>;
