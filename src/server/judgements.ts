import { explainVerdict } from '../domain/explain/explain.ts';
import type { Stored } from '../ports/ledger.ts';

/** What was seen and what the gates said of it, in the order of the ledger. */
export const judgementsOf = (stored: readonly Stored[]) =>
  stored.flatMap(({ seq, at, event }) => {
    if (event.type !== 'phase-judged') return [];
    const { phase, evidence, verdicts } = event;
    const subject = { wave: 'wave' in event ? event.wave : null, task: 'task' in event ? event.task : null };
    return [{ seq, at, phase, ...subject, evidence: { ...evidence }, verdicts: verdicts.map(explainVerdict) }];
  });

/** Of each phase and subject the newest. */
export function lastVerdicts(stored: readonly Stored[]) {
  const last = new Map(
    judgementsOf(stored).map(({ evidence: _, ...judged }) => [`${judged.phase} ${judged.wave} ${judged.task}`, judged]),
  );
  return [...last.values()];
}
