/** What an agent of the benchmark does: one file, and the time of its first and its last act on stdout. */
export const noOp = (file: string): string => `date +%s%N; echo work > ${file}; date +%s%N`;

/** The same, handed off by file: no program is started for it, so that only the orchestration is compared. */
export const noOpHandedOff = (file: string): string =>
  `date +%s%N; echo work > ${file}; mkdir -p .tidegate; printf '{"status":"done","summary":"ok","nonce":"%s"}' "$TIDEGATE_NONCE" > .tidegate/handoff.json; date +%s%N`;

export const fileOf = (index: number): string => `work/file-${index}.txt`;

/** Tasks that may all run together, or, as a chain, each only after the one before. */
export function planOf(count: number, shape: 'wave' | 'chain', parallel: number): object {
  const tasks = Array.from({ length: count }, (_, index) => [
    nameOf(index),
    {
      do: `Write ${fileOf(index)} with one line.`,
      agent: 'command',
      command: ['/bin/sh', '-ec', `mkdir -p work; ${noOpHandedOff(fileOf(index))}`],
      owns: [fileOf(index)],
      needs: shape === 'chain' && index > 0 ? [nameOf(index - 1)] : [],
    },
  ]);
  return { land: 'auto', limits: { parallel }, tasks: Object.fromEntries(tasks) };
}

export const nameOf = (index: number): string => `task-${String(index).padStart(3, '0')}`;

/** First and last act in nanoseconds, from what the agent printed. */
export function actsIn(output: string): { readonly first: bigint; readonly last: bigint } {
  const stamps = output.split('\n').filter((line) => /^\d{19}$/.test(line));
  const [first, last] = [stamps[0], stamps.at(-1)];
  if (first === undefined || last === undefined || stamps.length !== 2) throw new Error(`no two times in: ${output}`);
  return { first: BigInt(first), last: BigInt(last) };
}
