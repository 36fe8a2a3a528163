import { RequestError } from '@agentclientprotocol/sdk';
import { fieldsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import type { AgentEvent, AgentFailure, AgentFailureKind } from '../../domain/tool-calls/agent-event.ts';

type Ended = Extract<AgentEvent, { type: 'ended' }>;

/** Thrown when the agent no longer has the session. */
export class UnknownSession extends Error {}

/** Translates the protocol's reasons to stop. */
export function endingFor(reason: string): Ended {
  const failed = (kind: AgentFailureKind): Ended => ({
    type: 'ended',
    outcome: 'failed',
    trouble: { kind, until: null, words: reason },
  });
  if (reason === 'end_turn') return { type: 'ended', outcome: 'completed', trouble: null };
  if (reason === 'max_turn_requests') return failed('turn-limit');
  return failed(reason === 'max_tokens' ? 'prompt-too-long' : 'other');
}

export function failureIn(error: unknown): AgentFailure {
  if (error instanceof UnknownSession)
    return { kind: 'unknown-session', until: null, words: wordsOf(error.cause).slice(0, 500) };
  const words = wordsOf(error).slice(0, 500);
  if (!(error instanceof RequestError)) return { kind: 'other', until: null, words };
  const kind = textOf(fieldsOf(error.data)?.['errorKind']);
  return { kind: kinds[kind ?? ''] ?? codes[error.code] ?? spokenKind(error.code, words), until: null, words };
}

const kinds: Readonly<Record<string, AgentFailureKind>> = {
  rate_limit: 'rate-limited',
  overloaded: 'overloaded',
  authentication_failed: 'needs-login',
  oauth_org_not_allowed: 'needs-login',
  billing_error: 'needs-login',
  transport_lost: 'dropped',
};

/** -32000 is the protocol's own code; Gemini puts the provider's status there, and 500 where there was none. */
const codes: Readonly<Record<number, AgentFailureKind>> = {
  [-32000]: 'needs-login',
  401: 'needs-login',
  403: 'needs-login',
  429: 'rate-limited',
  503: 'overloaded',
};

const spokenKind = (code: number, words: string): AgentFailureKind => {
  const kind = failureKindIn(words);
  return kind === 'other' && code === 500 ? 'overloaded' : kind;
};

/** For agents that give neither a kind nor a code, only a message. */
export function failureKindIn(words: string): AgentFailureKind {
  if (/\b429\b|rate.?limit|too many requests|quota|usage limit/i.test(words)) return 'rate-limited';
  if (/\b40[13]\b|unauthori[sz]ed|api.?key|authenticat/i.test(words)) return 'needs-login';
  if (/\b5\d\d\b|overloaded/i.test(words)) return 'overloaded';
  if (/too long|context (window|length)/i.test(words)) return 'prompt-too-long';
  return /stream|disconnect|connection|socket|terminated|fetch failed/i.test(words) ? 'dropped' : 'other';
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const data = error instanceof RequestError ? fieldsOf(error.data) : null;
  const more = textOf(data?.['details']) ?? textOf(data?.['message']);
  return [error.message, more].filter(Boolean).join(': ');
}
