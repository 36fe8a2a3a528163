import type { By } from '../events.ts';
import { err, ok } from '../result.ts';
import type { ExternalCommand } from './command.ts';
import { hasEnded, subtasksOfWave } from './counts.ts';
import type { DecidedFacts } from './decide.ts';
import type { ExternalFact } from './events.ts';
import { idFrom } from './ids.ts';
import { type Refusal, refuse } from './refusal.ts';
import { type Session, type Wave, withFacts } from './session.ts';

type Create = ExternalCommand & { readonly type: 'create-wave' };

/** The same number again is the same wave, and stays as it is. */
export function createWave(state: Session, { wave, name, description }: Create, by: By): DecidedFacts {
  if (waveOf(state, wave) !== undefined) return ok([]);
  const begun = state.waves.findLast(({ status }) => status !== 'pending');
  if (begun !== undefined && begun.number > wave)
    return err(
      refuse(
        'late-wave',
        `wave ${begun.number} has begun: wave ${wave} cannot come before it any more`,
        'take a higher number',
      ),
    );
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
  const wave = waveOf(state, number);
  if (wave === undefined)
    return err(refuse('unknown-wave', `there is no wave ${number}`, 'create it, or submit a batch to it'));
  if (hasEnded(wave)) return err(refuse('ended-wave', `wave ${number} is ${wave.status}: it does not start again`));
  const left = state.waves
    .filter((one) => one.number < number && one.status === 'running' && isEmpty(state, one))
    .map((one): ExternalFact => ({ type: 'external-wave-ended', wave: one.number, outcome: 'completed' }));
  const begun = beginWave(withFacts(state, left), number, by);
  return begun.ok ? ok([...left, ...begun.value]) : begun;
}

/** No wave overtakes another. One that failed has ended: starting the next by its number goes on without it. */
export function beginWave(state: Session, number: number, by: By): DecidedFacts {
  const wave = waveOf(state, number);
  if (wave === undefined || wave.status !== 'pending') return ok([]);
  const earlier = state.waves.find((one) => one.number < number && !hasEnded(one));
  if (earlier !== undefined) return err(unfinished(state, earlier, `wave ${number} would overtake it`));
  return ok([{ type: 'external-wave-started', wave: number, by }]);
}

/** Follows completion: what failed, or is not through, is not passed over; so who did not hear the answer may ask again. */
export function startNext(state: Session, by: By): DecidedFacts {
  const last = state.waves.findLast(({ status }) => status !== 'pending');
  const next = state.waves.find(({ status }) => status === 'pending');
  if (last === undefined)
    return err(
      refuse(
        'no-next-wave',
        'no wave was completed yet',
        next === undefined ? 'create one' : `start wave ${next.number}`,
      ),
    );
  if (last.status === 'running') return err(unfinished(state, last, 'there is nothing to go on from'));
  if (last.status === 'failed')
    return err(
      refuse(
        'no-next-wave',
        `wave ${last.number} failed, and is not passed over by itself`,
        next === undefined
          ? 'create a wave and start it by its number'
          : `start wave ${next.number} by its number to go on without it`,
      ),
    );
  // all waves are completed: there is nothing left to start, and the last one is where the session stands
  return next === undefined ? ok([]) : beginWave(state, next.number, by);
}

export const waveOf = ({ waves }: Session, number: number): Wave | undefined =>
  waves.find((wave) => wave.number === number);

const isEmpty = (state: Session, { number }: Wave): boolean => subtasksOfWave(state, number).length === 0;

function unfinished(state: Session, wave: Wave, then: string): Refusal {
  const { number, status } = wave;
  if (!isEmpty(state, wave))
    return refuse('unfinished-wave', `wave ${number} is ${status}: ${then}`, `finish the subtasks of wave ${number}`);
  return refuse(
    'unfinished-wave',
    `wave ${number} is ${status} and has no tasks: ${then}`,
    `submit a batch to wave ${number}, or start ${status === 'pending' ? 'it' : 'the next wave by its number'} to go on without`,
  );
}
