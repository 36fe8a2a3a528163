import { recordsOf } from '../src/domain/board/board.ts';
import { boardCounters } from '../src/domain/board/counters.ts';
import { inboxOf, summaryText } from '../src/domain/board/views.ts';
import { barriersOfRun, openBarriers } from '../src/domain/closure/barriers.ts';
import { needsOf } from '../src/domain/explain/needs.ts';
import { standingsOf } from '../src/domain/relaunch/task-standings.ts';
import { foldRun, type Recorded, type RunState } from '../src/domain/run/run.ts';
import { largeBoard, postedAt } from '../test/support/large-board.ts';
import { idOf } from '../test/support/plans.ts';
import { spentMs } from '../test/support/spent.ts';

/** One piece of work on a board of each size, in milliseconds, beside its alternative on the largest. */
export type BoardFigures = {
  readonly name: string;
  readonly ours: readonly number[];
  readonly beside: string;
  readonly theirs: number;
};

/**
 * The fold of a board and everything that is read from it, at several sizes: with all records open, the most that there can be to look
 * through. In time that this thread computed, in turns with the alternative.
 */
export function measureBoard(sizes: readonly number[], rounds: number): readonly BoardFigures[] {
  const boards = sizes.map((size) => ({ size, events: largeBoard(size, { allOpen: true }) }));
  return pieces.map(({ name, work, beside, alternative }) => {
    const spent = boards.map(({ size, events }) => {
      // as many records in all at each size; what is remembered of a board is forgotten with it, so each time has its own
      const copies = Math.ceil(Math.max(...sizes) / size);
      const fresh = (): readonly RunState[] => Array.from({ length: copies }, () => folded(events));
      let [ours, theirs] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        ours += spentOn(fresh(), (state) => work(events, state, postedAt(size)));
        theirs += spentOn(fresh(), (state) => alternative(events, state));
      }
      // a mean, because the kernel counts this time in steps of some milliseconds
      return { ours: ours / rounds / copies, theirs: theirs / rounds / copies };
    });
    return { name, ours: spent.map(({ ours }) => ours), beside, theirs: spent.at(-1)?.theirs ?? 0 };
  });
}

function spentOn(states: readonly RunState[], work: (state: RunState) => unknown): number {
  const begun = spentMs();
  for (const state of states) work(state);
  return spentMs() - begun;
}

type Piece = {
  readonly name: string;
  work(events: readonly Recorded[], state: RunState, at: string): unknown;
  readonly beside: string;
  alternative(events: readonly Recorded[], state: RunState): unknown;
};

const wholeBoard = {
  beside: 'the whole board as JSON',
  alternative: (_: readonly Recorded[], state: RunState) => JSON.stringify(recordsOf(state)),
};

const pieces: readonly Piece[] = [
  {
    name: 'fold',
    work: (events) => foldRun(events),
    beside: 'a copy of the list at each record',
    alternative: (events) => events.reduce<readonly unknown[]>((all, { event }) => all.concat(event), []),
  },
  { name: 'inbox of a task', work: (_, state) => inboxOf(state, idOf('t3')), ...wholeBoard },
  { name: 'summary of a wave', work: (_, state) => summaryText(state, 0), ...wholeBoard },
  {
    name: 'open barriers of a wave',
    work: (_, state) => state.waves.map((wave) => openBarriers(state, wave)),
    ...wholeBoard,
  },
  { name: 'barriers of the run', work: (_, state) => barriersOfRun(state), ...wholeBoard },
  { name: 'counters and next timer', work: (_, state, at) => boardCounters(state, at), ...wholeBoard },
  { name: 'standings of tasks', work: (_, state) => standingsOf(state), ...wholeBoard },
  { name: 'needs of a person', work: (_, state) => needsOf(state), ...wholeBoard },
];

function folded(events: readonly Recorded[]): RunState {
  const state = foldRun(events);
  if (state === null) throw new Error('no run');
  return state;
}
