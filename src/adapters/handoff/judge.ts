import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Handoff, HandoffEvidence } from '../../domain/gates/evidence.ts';
import { parseHandoff } from './parse.ts';

/** A handoff counts only with the nonce of this attempt: one of an earlier attempt, or one committed to the base, is stale. */
export function judgeHandoff(bytes: Uint8Array, nonce: string): Result<Handoff, Finding> {
  const parsed = parseHandoff(bytes);
  if (!parsed.ok) return parsed;
  return parsed.value.nonce === nonce ? ok(parsed.value) : err({ rule: 'handoff-stale' });
}

/**
 * One answer from two ways in. What came through the attempt's own socket is attributed by the channel and wins over a file;
 * a broken file beside it voids nothing.
 */
export function chooseHandoff(socket: Handoff | null, file: HandoffEvidence): HandoffEvidence {
  return socket === null ? file : { kind: 'given', handoff: socket, via: 'socket' };
}
