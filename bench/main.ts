import { measureBoard } from './board.ts';
import { measureLarge } from './large.ts';
import { boardTable, largeTable, machineLine, rowTable, stepTable, waveTable } from './report.ts';
import { hookRow } from './rows/hook.ts';
import { ledgerRows } from './rows/ledger.ts';
import { ownershipRow } from './rows/ownership.ts';
import { snapshotRows } from './rows/snapshot.ts';
import { startRows } from './rows/start.ts';
import { storeRows } from './rows/stores.ts';
import { measureStep } from './step.ts';
import { measureWave, type WaveFigures } from './wave.ts';

/**
 * `npm run bench` (everything, minutes) or `npm run bench:quick`; names of parts may follow: `wave`, `step`, `rows`, `board`, `large`.
 * What is compared runs in turns in this one run: ratios mean something, single figures only on this machine and day.
 */
const full = {
  files: 1000,
  waves: [
    { tasks: 1, rounds: 5 },
    { tasks: 20, rounds: 3 },
    { tasks: 100, rounds: 2 },
  ],
  step: { tasks: 17, rounds: 5 },
  large: { files: 50_000, bytes: 42_000 },
  board: { sizes: [1_000, 10_000], rounds: 30 },
  rows: { ledger: 2000, tasks: 1000, owned: 50_000, snapshot: 10_000, commits: 2_500, rounds: 7 },
};
const quick: typeof full = {
  files: 1000,
  waves: [
    { tasks: 1, rounds: 2 },
    { tasks: 5, rounds: 2 },
    { tasks: 20, rounds: 1 },
  ],
  step: { tasks: 9, rounds: 2 },
  large: { files: 5_000, bytes: 4_000 },
  board: { sizes: [1_000, 10_000], rounds: 5 },
  rows: { ledger: 500, tasks: 200, owned: 10_000, snapshot: 2_000, commits: 300, rounds: 3 },
};

const words = process.argv.slice(2);
const size = words.includes('--quick') ? quick : full;
const parts = words.filter((word) => !word.startsWith('--'));
const wants = (part: 'wave' | 'step' | 'rows' | 'board' | 'large'): boolean =>
  parts.length === 0 || parts.includes(part);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

print(machineLine());
if (wants('step')) print(stepTable(await measureStep({ ...size.step, files: size.files }), size.files));
if (wants('wave')) print(waveTable(await waves(), size.files));
if (wants('rows')) print(rowTable(await rows()));
if (wants('board')) print(boardTable(measureBoard(size.board.sizes, size.board.rounds), size.board.sizes));
if (wants('large')) print(largeTable(await measureLarge(size.large)));

async function waves(): Promise<readonly WaveFigures[]> {
  const figures: WaveFigures[] = [];
  for (const wave of size.waves) figures.push(await measureWave({ ...wave, files: size.files, parallel: 2 }));
  return figures;
}

async function rows() {
  const { ledger, tasks, owned, snapshot, commits, rounds } = size.rows;
  return [
    ...(await ledgerRows(ledger, rounds)),
    await ownershipRow(tasks, owned, Math.min(rounds, 3)),
    ...(await snapshotRows(snapshot, rounds)),
    ...(await storeRows(commits, rounds)),
    ...(await startRows(rounds * 3)),
    await hookRow(rounds * 100),
  ];
}
