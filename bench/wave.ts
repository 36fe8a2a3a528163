import { mkdirSync } from 'node:fs';
import { planOf } from './agent.ts';
import { waveByHand } from './hand-wave.ts';
import { type Peaks, watchMemory } from './memory.ts';
import { makeBare, makeRepository, place } from './repository.ts';
import { median, seconds } from './statistics.ts';
import { ledgerBytes, runTidegate } from './tidegate.ts';

export type WaveFigures = {
  readonly tasks: number;
  readonly rounds: number;
  readonly tidegate: number;
  readonly byHand: number;
  /** Median of the ratios of each round, whose two halves ran one after the other. */
  readonly ratio: number;
  readonly peaks: Peaks;
  readonly ledgerBytesPerTask: number;
};

export type WaveOptions = {
  readonly tasks: number;
  readonly files: number;
  readonly rounds: number;
  readonly parallel: number;
};

/** A wave of no-op tasks, from the start of the program to the moved branch, beside the same by hand. */
export async function measureWave(options: WaveOptions): Promise<WaveFigures> {
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) rounds.push(await oneRound(options, round % 2 === 0));
  const [last] = rounds.slice(-1);
  if (last === undefined) throw new Error('at least one round');
  return {
    tasks: options.tasks,
    rounds: rounds.length,
    tidegate: median(rounds.map((round) => round.tidegate)),
    byHand: median(rounds.map((round) => round.byHand)),
    ratio: median(rounds.map((round) => round.tidegate / round.byHand)),
    peaks: last.peaks,
    ledgerBytesPerTask: last.ledgerBytesPerTask,
  };
}

type Round = Pick<WaveFigures, 'tidegate' | 'byHand' | 'peaks' | 'ledgerBytesPerTask'>;

async function oneRound({ tasks, files, parallel }: WaveOptions, oursFirst: boolean): Promise<Round> {
  using here = place();
  const checkout = `${here.root}/repo`;
  const bare = `${here.root}/bare.git`;
  mkdirSync(checkout);
  await makeRepository(checkout, files, planOf(tasks, 'wave', parallel));
  const start = await makeBare(checkout, bare);
  const hand = () => seconds(() => waveByHand(bare, here.root, start, tasks, parallel));
  const before = oursFirst ? null : await hand();
  let watch: ReturnType<typeof watchMemory> | null = null;
  let bytes = 0;
  const tidegate = await seconds(async () => {
    const state = await runTidegate(here.root, (pid) => {
      watch = watchMemory(pid);
    });
    bytes = ledgerBytes(state);
  });
  const peaks = (watch as ReturnType<typeof watchMemory> | null)?.stop();
  if (peaks === undefined) throw new Error('the program was not started');
  return { tidegate, byHand: before ?? (await hand()), peaks, ledgerBytesPerTask: bytes / tasks };
}
