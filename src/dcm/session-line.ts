import { countsOf, sessionWave, subtasksOfWave } from './counts.ts';
import type { Session } from './session.ts';

/** A session that others drive, on one line. */
export function sessionLine(state: Session): string {
  const wave = sessionWave(state) ?? state.waves.at(-1);
  return wave === undefined ? 'no wave yet' : `wave ${wave.number} ${wave.status}${counted(state, wave.number)}`;
}

function counted(state: Session, wave: number): string {
  const { total, completed, failed } = countsOf(subtasksOfWave(state, wave));
  return `, ${completed} of ${total} tasks completed${failed === 0 ? '' : `, ${failed} failed`}`;
}
