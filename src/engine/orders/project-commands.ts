import { checkOutcome } from '../../domain/gates/check-outcome.ts';
import type { CheckOutcome } from '../../domain/gates/evidence.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { ExitRecord, Job } from '../../ports/supervisor.ts';
import { checkJob, generateJob } from '../jobs/jobs.ts';
import { superviseJob } from '../jobs/supervise-job.ts';
import type { RunLog } from '../run-log.ts';
import type { World } from '../world.ts';

/** One check on one tree. What it said of this tree before stays in the ledger; its job gets a number of its own. */
export async function runCheck(world: World, log: RunLog, effect: Effect & { readonly do: 'check' }): Promise<void> {
  const state = log.state();
  if (state === null) return;
  const earlier = log
    .stored()
    .filter(({ event }) => event.type === 'check-ended' && isOutcomeOf(effect, event.check)).length;
  const jobOf = (number: number): Job => checkJob(world.places, state, { ...effect, number });
  const { job, record } = await superviseAgain(world, jobOf, earlier * lostTries + 1);
  const { purpose, tree, check } = effect;
  const end = { purpose, name: check.name, tree, ending: record.ending, log: record.log, tail: record.tail };
  // under another version of the plan a check of this name may be another command
  await log.record((now) =>
    now?.hash === state.hash ? [{ type: 'check-ended', purpose, check: checkOutcome(now, end) }] : null,
  );
  await world.supervisors.acknowledge(job.id);
}

/** The commands of `generated`, on the last commit of a candidate. */
export async function runGenerators(
  world: World,
  log: RunLog,
  effect: Effect & { readonly do: 'generate' },
): Promise<void> {
  const state = log.state();
  if (state === null) return;
  const { wave, round } = effect;
  const jobOf = (number: number): Job => generateJob(world.places, state, { ...effect, number });
  const { job, record } = await superviseAgain(world, jobOf, 1);
  const { ending, snapshot, log: output, tail } = record;
  await log.record((now) => {
    const open = now?.waves[wave]?.rounds.at(-1);
    if (open?.round !== round || open.status !== 'built') return null;
    return [{ type: 'generator-ended', wave, round, ending, snapshot, log: output, tail }];
  });
  await world.supervisors.acknowledge(job.id);
}

const nothing = async (): Promise<void> => undefined;

/** A job whose supervisor was lost is done again from a clean checkout: half a result is not used. */
async function superviseAgain(
  world: World,
  jobOf: (number: number) => Job,
  first: number,
): Promise<{ readonly job: Job; readonly record: ExitRecord }> {
  for (let number = first; ; number += 1) {
    const job = jobOf(number);
    const record = await superviseJob(world.supervisors, job, { started: nothing, noted: nothing, followed: nothing });
    if (record.ending.reason !== 'lost' || number === first + lostTries - 1) return { job, record };
    await world.supervisors.acknowledge(job.id);
  }
}

/** How often a job is done because its supervisor was lost. Numbers of jobs are never used twice. */
const lostTries = 4;

const isOutcomeOf = (effect: Effect & { readonly do: 'check' }, check: CheckOutcome): boolean =>
  check.tree === effect.tree && check.name === effect.check.name;
