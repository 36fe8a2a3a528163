import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { everyTaskOf } from '../../domain/plan/plan.ts';
import { creation, eventsOf, type History, planInForce } from './history.ts';

/**
 * Returns the required dependency that keeps this intent from being recorded; null when none was open. A dependency of a task counts
 * from the wave of that task on.
 */
export function openDependency(history: History, intent: RunEvent): Finding | null {
  if (intent.type !== 'merge-intended' && intent.type !== 'landing-intended') return null;
  const { plan } = planInForce(history);
  const settled = new Set(
    [...eventsOf(history, 'dependency-resolved'), ...eventsOf(history, 'dependency-cancelled')].map(
      ({ event }) => event.dependency,
    ),
  );
  const closed = new Set(eventsOf(history, 'wave-closed').map(({ event }) => event.wave));
  for (const { event } of eventsOf(history, 'dependency-added')) {
    const { dependency, task, required, on, text } = event;
    if (!required || settled.has(dependency)) continue;
    const wave = plan.waves.findIndex((one) => everyTaskOf(one).some(({ id }) => id === task));
    const counts = intent.type === 'merge-intended' ? wave <= intent.wave : wave < 0 || closed.has(wave);
    if (!counts) continue;
    const named = 'branch' in on ? on.branch : on.task === undefined ? on.run : `${on.run}/${on.task}`;
    const { run } = creation(history);
    return { rule: 'dependency-open', run, dependency, named, words: boundedWords(text, 300) };
  }
  return null;
}
