import { foldDcmSession } from '../../src/dcm/session.ts';
import { recordsOf } from '../../src/domain/board/board.ts';
import { canonicalJson } from '../../src/domain/plan/plan.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import { dcmSessionOf, isDcmStream, isRunStream, type Stored } from '../../src/ports/ledger.ts';

/** Every stream of a ledger with the bytes of what it folds to. */
export function foldStreams(stored: readonly Stored[]): readonly (readonly [string, string])[] {
  return [...Map.groupBy(stored, ({ stream }) => stream)].flatMap(([stream, events]) => {
    if (isRunStream(stream)) return [[stream, canonicalJson(plainRun(foldRun(events)))] as const];
    if (!isDcmStream(stream)) return [];
    const { places, ...session } = foldDcmSession(dcmSessionOf(stream), events);
    return [[stream, canonicalJson({ ...session, places: [...places] })] as const];
  });
}

/** The board as the list that it means, however it is stored. */
const plainRun = (state: RunState | null): object | null =>
  state === null ? null : { ...state, board: recordsOf(state) };
