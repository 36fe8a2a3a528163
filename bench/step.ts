import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { actsIn, nameOf, noOp, planOf } from './agent.ts';
import { run } from './process.ts';
import { makeBare, makeRepository, place } from './repository.ts';
import { quantile } from './statistics.ts';
import { runTidegate } from './tidegate.ts';

export type StepFigures = {
  readonly samples: number;
  /** Milliseconds from the last act of one agent to the first of the one that it unblocked. */
  readonly tidegate: { readonly p50: number; readonly p95: number };
  readonly floor: { readonly p50: number; readonly p95: number };
  readonly ratio: { readonly p50: number; readonly p95: number };
};

export type StepOptions = { readonly tasks: number; readonly files: number; readonly rounds: number };

/** A chain of tasks beside the same chain by hand, in turns, so that both meet the same noise. */
export async function measureStep(options: StepOptions): Promise<StepFigures> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    using here = place();
    const checkout = `${here.root}/repo`;
    const bare = `${here.root}/bare.git`;
    mkdirSync(checkout);
    await makeRepository(checkout, options.files, planOf(options.tasks, 'chain', 2));
    const start = await makeBare(checkout, bare);
    if (round % 2 === 0) ours.push(...(await chainOfTidegate(here.root, options.tasks)));
    floor.push(...(await chainByHand(bare, here.root, start, options.tasks)));
    if (round % 2 === 1) ours.push(...(await chainOfTidegate(here.root, options.tasks)));
  }
  const both = (values: readonly number[]) => ({ p50: quantile(values, 0.5), p95: quantile(values, 0.95) });
  const [tidegate, hand] = [both(ours), both(floor)];
  return {
    samples: ours.length,
    tidegate,
    floor: hand,
    ratio: { p50: tidegate.p50 / hand.p50, p95: tidegate.p95 / hand.p95 },
  };
}

async function chainOfTidegate(root: string, tasks: number): Promise<readonly number[]> {
  const state = await runTidegate(root);
  const [job] = readdirSync(state.jobs);
  const run = job?.split('.')[0] ?? '';
  return gaps(tasks, (index) => `${state.job(`${run}.${nameOf(index)}.1`)}/output.log`);
}

const handStep = fileURLToPath(new URL('./hand-step.mjs', import.meta.url));

async function chainByHand(bare: string, root: string, start: string, tasks: number): Promise<readonly number[]> {
  const script = `mkdir -p work; ${noOp('work/file-INDEX.txt')}`;
  await run(process.execPath, [handStep, bare, root, start, '0', String(tasks), script]);
  return gaps(tasks, (index) => `${root}/hand-${index}.log`);
}

/** Milliseconds between one agent's last act and the next one's first. */
function gaps(tasks: number, logOf: (index: number) => string): readonly number[] {
  const acts = Array.from({ length: tasks }, (_, index) => actsIn(readFileSync(logOf(index), 'utf8')));
  return acts.slice(1).map((act, index) => Number(act.first - (acts[index]?.last ?? 0n)) / 1e6);
}
