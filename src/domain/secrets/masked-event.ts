import type { LedgerEvent } from '../ledger/events.ts';
import { maskTexts, secretIn } from './secret-shapes.ts';

/** Fields with free text of people, agents and programs. All others are names that are looked up again. */
const textFields = new Set([
  ...['text', 'message', 'words', 'tail', 'why', 'refusals', 'linkTarget'],
  ...['summary', 'remaining', 'proofs', 'questions'],
]);

/**
 * Masks credentials in the free text of an event before it is stored. A plan is stored as it was approved; one with a credential is
 * refused earlier (rule `plan-secret`).
 */
export function maskedEvent<T extends LedgerEvent>(event: T): T {
  return secretIn(JSON.stringify(event)) === null ? event : (withoutSecrets(event) as T);
}

function withoutSecrets(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutSecrets);
  if (typeof part !== 'object' || part === null) return part;
  const masked = (key: string, field: unknown): unknown => {
    if (key === 'plan') return field;
    return textFields.has(key) ? maskTexts(field) : withoutSecrets(field);
  };
  return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, masked(key, field)]));
}
