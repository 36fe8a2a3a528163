import { hash } from 'node:crypto';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { DcmRules } from '../domain/findings/dcm-rules.ts';
import type { FindingsOf } from '../domain/findings/finding.ts';
import type { DcmFact } from '../domain/ledger/dcm-events.ts';
import type { By } from '../domain/ledger/requests.ts';
import { type DcmSession, type DcmWave, dcmWaveOf, hasEnded, subtasksOfWave, withFacts } from './session.ts';

export type DcmRefusal = FindingsOf<DcmRules>;
/** The facts that follow from a request. Empty: nothing changes. */
export type DcmFacts = Result<readonly DcmFact[], DcmRefusal>;

type Naming = { readonly wave: number; readonly name: string | null; readonly description: string | null };

/** A number that exists is the same wave, and stays as it is. */
export function createWave(state: DcmSession, { wave, name, description }: Naming, by: By): DcmFacts {
  if (dcmWaveOf(state, wave) !== undefined) return ok([]);
  const begun = state.waves.findLast(({ status }) => status !== 'pending');
  if (begun !== undefined && begun.number > wave) return err({ rule: 'session-late-wave', wave, begun: begun.number });
  const id = idFrom('wave', state.session, wave);
  return ok([{ type: 'external-wave-created', wave, id, name, description, by }]);
}

/**
 * Starting a running wave changes nothing, so a caller that missed the answer may repeat the request. A running wave without tasks
 * is completed when a later one is started by its number: nothing else would ever end it.
 */
export function startWave(state: DcmSession, number: number, by: By): DcmFacts {
  const wave = dcmWaveOf(state, number);
  if (wave === undefined) return err({ rule: 'session-unknown-wave', wave: number });
  if (hasEnded(wave)) return err({ rule: 'session-ended-wave', wave: number, status: wave.status, action: 'start' });
  const left = state.waves
    .filter((one) => one.number < number && one.status === 'running' && isEmpty(state, one))
    .map((one): DcmFact => ({ type: 'external-wave-ended', wave: one.number, outcome: 'completed' }));
  const begun = beginWave(withFacts(state, left), number, by);
  return begun.ok ? ok([...left, ...begun.value]) : begun;
}

/** No wave overtakes another. A failed wave has ended: starting the next one by its number continues without it. */
export function beginWave(state: DcmSession, number: number, by: By): DcmFacts {
  const wave = dcmWaveOf(state, number);
  if (wave === undefined || wave.status !== 'pending') return ok([]);
  const earlier = state.waves.find((one) => one.number < number && !hasEnded(one));
  if (earlier !== undefined) return err(unfinished(state, earlier, number));
  return ok([{ type: 'external-wave-started', wave: number, by }]);
}

/** Starts the wave after the one that completed last. It skips neither a failed nor a running wave, so it may be repeated. */
export function startNext(state: DcmSession, by: By): DcmFacts {
  const last = state.waves.findLast(({ status }) => status !== 'pending');
  const next = state.waves.find(({ status }) => status === 'pending');
  if (last === undefined) return err(noNext(null, next));
  if (last.status === 'running') return err(unfinished(state, last, null));
  if (last.status === 'failed') return err(noNext(last, next));
  // no wave is left to start: the answer is the last one
  return next === undefined ? ok([]) : beginWave(state, next.number, by);
}

/** Returns an id in the form of a UUID (version 8). The same parts give the same id again. */
export function idFrom(...parts: readonly (string | number)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'hex');
  const variant = ((Number.parseInt(digest[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

const isEmpty = (state: DcmSession, { number }: DcmWave): boolean => subtasksOfWave(state, number).length === 0;

const noNext = (failed: DcmWave | null, next: DcmWave | undefined): DcmRefusal => ({
  rule: 'session-no-next-wave',
  failed: failed?.number ?? null,
  next: next?.number ?? null,
});

/** `next`: the wave that would overtake it. */
const unfinished = (state: DcmSession, wave: DcmWave, next: number | null): DcmRefusal => ({
  rule: 'session-unfinished-wave',
  wave: wave.number,
  status: wave.status,
  empty: isEmpty(state, wave),
  next,
});
