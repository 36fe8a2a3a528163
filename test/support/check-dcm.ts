import type { DcmEvent } from '../../src/domain/ledger/dcm-events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';

/** A session that others drive: facts of its own only; each key once; waves in order; nothing that is settled changes. */
export function checkExternal(history: readonly Stored[]): readonly Violation[] {
  return [...checkOwn(history), ...checkOrder(history)];
}

function checkOwn(history: readonly Stored[]): readonly Violation[] {
  const keys = new Set<string>();
  return history.flatMap(({ seq, event }) => {
    const say = (what: string): Violation => ({ invariant: 'I1', seq, what });
    if (!event.type.startsWith('external-'))
      return [say(`${event.type} does not belong to a session that others drive`)];
    if (event.type !== 'external-key-used') return [];
    const isAgain = keys.has(event.key);
    keys.add(event.key);
    return isAgain ? [say(`the key ${event.key} stands for two things`)] : [];
  });
}

function checkOrder(history: readonly Stored[]): readonly Violation[] {
  const found: Violation[] = [];
  const waves = new Map<number, 'made' | 'begun' | 'ended'>();
  const subtasks = new Map<string, { readonly wave: number; readonly settled: boolean }>();
  for (const { seq, event: stored } of history) {
    const event = stored as DcmEvent;
    const say = (what: string): number => found.push({ invariant: 'I3', seq, what });
    const change = (wave: number, from: string | undefined, to: 'made' | 'begun' | 'ended'): void => {
      if (waves.get(wave) !== from) say(`wave ${wave} is ${waves.get(wave)}, and ${to} now`);
      waves.set(wave, to);
    };
    if (event.type === 'external-wave-created') {
      change(event.wave, undefined, 'made');
      if ([...waves].some(([wave, at]) => wave > event.wave && at !== 'made')) say(`wave ${event.wave} comes too late`);
    }
    if (event.type === 'external-wave-started') {
      change(event.wave, 'made', 'begun');
      if ([...waves].some(([wave, at]) => wave < event.wave && at !== 'ended'))
        say(`wave ${event.wave} overtakes another`);
    }
    if (event.type === 'external-wave-ended') {
      change(event.wave, 'begun', 'ended');
      if ([...subtasks.values()].some(({ wave, settled }) => wave === event.wave && !settled))
        say(`wave ${event.wave} ends with work open`);
    }
    if (event.type === 'external-batch-submitted')
      for (const { id } of event.subtasks) subtasks.set(id, { wave: event.wave, settled: false });
    if (event.type === 'external-subtask-updated') {
      const subtask = subtasks.get(event.subtask);
      if (subtask === undefined || subtask.settled) say(`${event.subtask} is ${subtask ? 'settled' : 'unknown'}`);
      else if (event.status === 'completed' || event.status === 'failed')
        subtasks.set(event.subtask, { ...subtask, settled: true });
    }
  }
  return found;
}
