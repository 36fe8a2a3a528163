import { availableParallelism, loadavg } from 'node:os';
import type { BoardFigures } from './board.ts';
import type { LargeFigures } from './large.ts';
import type { Row } from './rows/row.ts';
import type { StepFigures } from './step.ts';
import type { WaveFigures } from './wave.ts';

/** Markdown tables, ready for docs/benchmarks.md. */
export const machineLine = (): string =>
  `Node ${process.versions.node}, ${availableParallelism()} cores, load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start.`;

export function waveTable(waves: readonly WaveFigures[], files: number): string {
  const head = [
    `A wave of no-op tasks, ${files} files, two at a time: seconds from the start of the program to the moved branch`,
    '',
    '| tasks | rounds | tidegate s | by hand s | ratio | ms per task | coordinator MB | merger MB | supervisor MB | ours together MB | processes | ledger KB per task |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
  ];
  const rows = waves.map((wave) => {
    const { peaks } = wave;
    const memory = [peaks.coordinator, peaks.merger, peaks.supervisor, peaks.together].map((value) => value.toFixed(0));
    const perTask = ((wave.tidegate * 1000) / wave.tasks).toFixed(0);
    const times = [wave.tidegate.toFixed(2), wave.byHand.toFixed(2), `${wave.ratio.toFixed(2)}x`, perTask];
    const rest = [...memory, peaks.processes, (wave.ledgerBytesPerTask / 1024).toFixed(1)];
    return `| ${[wave.tasks, wave.rounds, ...times, ...rest].join(' | ')} |`;
  });
  return [...head, ...rows, '', growthLine(waves)].join('\n');
}

/** What one more task costs in a large wave and in a small one: 1.0 would be exactly linear. */
function growthLine(waves: readonly WaveFigures[]): string {
  const [first, ...more] = waves;
  const [before, last] = more.slice(-2);
  if (first === undefined || before === undefined || last === undefined) return 'Growth: needs three sizes.';
  const added = (from: WaveFigures, to: WaveFigures, what: 'tidegate' | 'byHand') =>
    ((to[what] - from[what]) * 1000) / (to.tasks - from.tasks);
  const of = (what: 'tidegate' | 'byHand') => {
    const [small, large] = [added(first, before, what), added(before, last, what)];
    return `${small.toFixed(0)} ms for each added task up to ${before.tasks}, ${large.toFixed(0)} ms from there to ${last.tasks} (${(large / small).toFixed(2)}x)`;
  };
  return `Growth: tidegate ${of('tidegate')}; by hand ${of('byHand')}.`;
}

export function stepTable(step: StepFigures, files: number): string {
  const line = (name: string, of: { readonly p50: number; readonly p95: number }, digits: number, unit: string) =>
    `| ${name} | ${of.p50.toFixed(digits)}${unit} | ${of.p95.toFixed(digits)}${unit} |`;
  return [
    `End of one agent to the start of the next, ${files} files, ${step.samples} steps`,
    '',
    '| | p50 | p95 |',
    '|---|---|---|',
    line('tidegate', step.tidegate, 0, ' ms'),
    line('floor by hand', step.floor, 0, ' ms'),
    line('ratio', step.ratio, 2, 'x'),
  ].join('\n');
}

export function largeTable({ files, megabytes, rounds }: LargeFigures): string {
  const lines = rounds.map(
    ({ go, clone, progressLines }, at) =>
      `| ${at === 0 ? 'first' : 'second'} | ${go.toFixed(1)} | ${clone.toFixed(1)} | ${(go / clone).toFixed(2)}x | ${progressLines} |`,
  );
  return [
    `\`tidegate go\` in a repository of ${files} files, ${megabytes.toFixed(0)} MB: seconds to the start of its agent`,
    '',
    '| go | tidegate s | git clone --shared s | ratio | lines of progress |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** `growth`: time for each record on the largest board beside that on the smallest. 1.0 is exactly linear. */
export function boardTable(figures: readonly BoardFigures[], sizes: readonly number[]): string {
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)];
  const rows = figures.map(({ name, ours, beside, theirs }) => {
    const [least = 0, most = 0] = [ours[0], ours.at(-1)];
    const growth = most / last / (least / first);
    const cells = [...ours.map((ms) => `${ms.toFixed(2)} ms`), `${growth.toFixed(2)}x`];
    return `| ${[name, ...cells, beside, `${theirs.toFixed(2)} ms`, `${(most / theirs).toFixed(2)}x`].join(' | ')} |`;
  });
  return [
    `A board of ${last} open requests between 40 tasks`,
    '',
    `| what | ${sizes.map((size) => `${size} records`).join(' | ')} | growth | beside, ${last} records | takes | ratio |`,
    `|---|${sizes.map(() => '---|').join('')}---|---|---|---|`,
    ...rows,
  ].join('\n');
}

export function rowTable(rows: readonly Row[]): string {
  const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  const lines = rows.map(({ name, ours, beside, theirs, unit }) => {
    const ratio = `${(ours / theirs).toFixed(ours / theirs < 0.1 ? 4 : 2)}x`;
    return `| ${name} | ${figure(ours)} ${unit} | ${beside} | ${figure(theirs)} ${unit} | ${ratio} |`;
  });
  return [
    'Parts, each beside its alternative (`/s`: more is better)',
    '',
    '| what | tidegate | beside | takes | ratio |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
