import { expect, test } from 'vitest';
import { measureLarge } from '../../bench/large.ts';
import { largeTable, rowTable, stepTable, waveTable } from '../../bench/report.ts';
import { ledgerRows } from '../../bench/rows/ledger.ts';
import { ownershipRow } from '../../bench/rows/ownership.ts';
import { snapshotRows } from '../../bench/rows/snapshot.ts';
import { startRows } from '../../bench/rows/start.ts';
import { storeRows } from '../../bench/rows/stores.ts';
import { measureServer, quick, serverTable } from '../../bench/server.ts';
import { measureStep } from '../../bench/step.ts';
import { measureWave } from '../../bench/wave.ts';

/** Far above what a quiet machine shows: these tests say that the benchmark works, `npm run bench` says how fast. */
const generous = { wave: 100, step: 20, large: 30 };

test('a small wave is measured beside the same by hand', { timeout: 60_000 }, async () => {
  const wave = await measureWave({ tasks: 2, files: 40, rounds: 1, parallel: 2 });
  expect(wave.ratio).toBeGreaterThan(0);
  expect(wave.ratio).toBeLessThan(generous.wave);
  expect(Object.values(wave.peaks).filter((peak) => !(peak > 0))).toEqual([]);
  expect(wave.ledgerBytesPerTask).toBeGreaterThan(0);
  expect(waveTable([wave], 40)).not.toMatch(/NaN|Infinity|undefined/);
});

test('a short chain is measured beside the same by hand', { timeout: 60_000 }, async () => {
  const step = await measureStep({ tasks: 3, files: 40, rounds: 1 });
  expect(step.samples).toBe(2);
  expect(step.floor.p50).toBeGreaterThan(0);
  expect(step.ratio.p50).toBeLessThan(generous.step);
  expect(stepTable(step, 40)).not.toMatch(/NaN|Infinity|undefined/);
});

test('every part has a figure and an alternative', { timeout: 60_000 }, async () => {
  const rows = [
    ...(await ledgerRows(20, 1)),
    await ownershipRow(20, 200, 1),
    ...(await snapshotRows(200, 1)),
    ...(await startRows(1)),
    ...(await storeRows(30, 1)),
  ];
  expect(rows.filter(({ ours, theirs }) => !(ours > 0 && theirs > 0 && Number.isFinite(ours / theirs)))).toEqual([]);
  expect(rowTable(rows)).not.toMatch(/NaN|Infinity|undefined/);
});

test('go in a larger repository is measured beside a bare shared clone', { timeout: 120_000 }, async () => {
  const large = await measureLarge({ files: 5_000, bytes: 500 });
  console.log(largeTable(large));
  expect(large.rounds).toHaveLength(2);
  for (const { go, clone } of large.rounds) expect(go / clone).toBeLessThan(generous.large);
});

test('the server is measured beside a bare one', { timeout: 120_000 }, async () => {
  const figures = await measureServer(quick);
  expect(figures.map(({ what }) => what)).toEqual(['GET status of a run', 'PATCH of a subtask, durable']);
  expect(figures.filter(({ ratio, cpuRatio }) => !(ratio > 0 && cpuRatio > 0))).toEqual([]);
  expect(serverTable(figures)).not.toMatch(/NaN|Infinity|undefined/);
});
