import type { LedgerEvent } from '../ledger/events.ts';
import { maskTexts, secretIn } from './secret-shapes.ts';

/** Fields that hold what somebody said or printed. All others name something that is looked up by that name again. */
const speech = new Set([
  ...['text', 'message', 'words', 'tail', 'why', 'refusals', 'linkTarget'],
  ...['summary', 'remaining', 'proofs', 'questions'],
]);

/**
 * The event as it is stored: without anything that looks like a credential in what people, agents and programs said. A plan is stored
 * as it was approved; one with a credential in it is refused before (rule `plan-secret`).
 */
export function maskedEvent<T extends LedgerEvent>(event: T): T {
  return secretIn(JSON.stringify(event)) === null ? event : (withoutSecrets(event) as T);
}

function withoutSecrets(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutSecrets);
  if (typeof part !== 'object' || part === null) return part;
  const masked = (key: string, field: unknown): unknown => {
    if (key === 'plan') return field;
    return speech.has(key) ? maskTexts(field) : withoutSecrets(field);
  };
  return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, masked(key, field)]));
}
