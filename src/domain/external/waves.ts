import { err, ok } from '../base/result.ts';
import type { By } from '../ledger/requests.ts';
import type { ExternalCommand } from './command.ts';
import { hasEnded, subtasksOfWave } from './counts.ts';
import type { DecidedFacts } from './decide.ts';
import type { ExternalFact } from './events.ts';
import { idFrom } from './ids.ts';
import type { Refusal } from './refusal.ts';
import { type Session, type Wave, withFacts } from './session.ts';

type Create = ExternalCommand & { readonly type: 'create-wave' };

/** The same number again is the same wave, and stays as it is. */
export function createWave(state: Session, { wave, name, description }: Create, by: By): DecidedFacts {
  if (subtaskWave(state, wave) !== undefined) return ok([]);
  const begun = state.waves.findLast(({ status }) => status !== 'pending');
  if (begun !== undefined && begun.number > wave) return err({ rule: 'session-late-wave', wave, begun: begun.number });
  const id = idFrom('wave', state.session, wave);
  return ok([{ type: 'external-wave-created', wave, id, name, description, by }]);
}

export const ensureWave = (state: Session, wave: number, by: By): DecidedFacts =>
  createWave(state, { type: 'create-wave', wave, name: null, description: null }, by);

/**
 * Starting what runs already changes nothing: who did not hear the answer may ask again. A wave that runs without tasks is
 * completed when one after it is started by its number: nothing else would ever end it.
 */
export function startWave(state: Session, number: number, by: By): DecidedFacts {
  const wave = subtaskWave(state, number);
  if (wave === undefined) return err({ rule: 'session-unknown-wave', wave: number });
  if (hasEnded(wave)) return err({ rule: 'session-ended-wave', wave: number, status: wave.status, action: 'start' });
  const left = state.waves
    .filter((one) => one.number < number && one.status === 'running' && isEmpty(state, one))
    .map((one): ExternalFact => ({ type: 'external-wave-ended', wave: one.number, outcome: 'completed' }));
  const begun = beginWave(withFacts(state, left), number, by);
  return begun.ok ? ok([...left, ...begun.value]) : begun;
}

/** No wave overtakes another. One that failed has ended: starting the next by its number goes on without it. */
export function beginWave(state: Session, number: number, by: By): DecidedFacts {
  const wave = subtaskWave(state, number);
  if (wave === undefined || wave.status !== 'pending') return ok([]);
  const earlier = state.waves.find((one) => one.number < number && !hasEnded(one));
  if (earlier !== undefined) return err(unfinished(state, earlier, number));
  return ok([{ type: 'external-wave-started', wave: number, by }]);
}

/** Follows completion: what failed, or is not through, is not passed over; so who did not hear the answer may ask again. */
export function startNext(state: Session, by: By): DecidedFacts {
  const last = state.waves.findLast(({ status }) => status !== 'pending');
  const next = state.waves.find(({ status }) => status === 'pending');
  if (last === undefined) return err(noNext(null, next));
  if (last.status === 'running') return err(unfinished(state, last, null));
  if (last.status === 'failed') return err(noNext(last, next));
  // all waves are completed: there is nothing left to start, and the last one is where the session stands
  return next === undefined ? ok([]) : beginWave(state, next.number, by);
}

const subtaskWave = ({ waves }: Session, number: number): Wave | undefined =>
  waves.find((wave) => wave.number === number);

const isEmpty = (state: Session, { number }: Wave): boolean => subtasksOfWave(state, number).length === 0;

const noNext = (failed: Wave | null, next: Wave | undefined): Refusal => ({
  rule: 'session-no-next-wave',
  failed: failed?.number ?? null,
  next: next?.number ?? null,
});

/** `next`: the wave that would overtake it. */
const unfinished = (state: Session, wave: Wave, next: number | null): Refusal => ({
  rule: 'session-unfinished-wave',
  wave: wave.number,
  status: wave.status,
  empty: isEmpty(state, wave),
  next,
});
