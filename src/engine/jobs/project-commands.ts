import { checkOutcome } from '../../domain/gates/check-outcome.ts';
import type { CheckOutcome } from '../../domain/gates/evidence.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { ExitRecord, Job, NumberedNote, StartedRecord, Supervisors } from '../../ports/supervisor.ts';
import type { EnginePorts } from '../engine-ports.ts';
import type { RunLog } from '../run-log.ts';
import { checkJob, generateJob } from './jobs.ts';

/** Runs one check on one tree. Earlier outcomes for this tree stay in the ledger; the job gets a number of its own. */
export async function runCheck(
  ports: EnginePorts,
  log: RunLog,
  effect: Effect & { readonly do: 'check' },
): Promise<void> {
  const state = log.state();
  if (state === null) return;
  const earlier = log
    .stored()
    .filter(({ event }) => event.type === 'check-ended' && isOutcomeOf(effect, event.check)).length;
  const jobOf = (number: number): Job => checkJob(ports.places, state, { ...effect, number });
  const { job, record } = await superviseAgain(ports, jobOf, earlier * lostTries + 1);
  const { purpose, tree, check } = effect;
  const { ending, log: output, tail, report } = record;
  const end = { purpose, name: check.name, tree, ending, log: output, tail, ...(report && { report }) };
  // under another version of the plan a check of this name may be another command
  await log.record((now) =>
    now?.hash === state.hash ? [{ type: 'check-ended', purpose, check: checkOutcome(now, end) }] : null,
  );
  await ports.supervisors.acknowledge(job.id);
}

/** Runs the commands of `generated` on the last commit of a candidate. */
export async function runGenerators(
  ports: EnginePorts,
  log: RunLog,
  effect: Effect & { readonly do: 'generate' },
): Promise<void> {
  const state = log.state();
  if (state === null) return;
  const { wave, round } = effect;
  const jobOf = (number: number): Job => generateJob(ports.places, state, { ...effect, number });
  const { job, record } = await superviseAgain(ports, jobOf, 1);
  const { ending, snapshot, log: output, tail } = record;
  await log.record((now) => {
    const open = now?.waves[wave]?.rounds.at(-1);
    if (open?.round !== round || open.status !== 'built') return null;
    return [{ type: 'generator-ended', wave, round, ending, snapshot, log: output, tail }];
  });
  await ports.supervisors.acknowledge(job.id);
}

const nothing = async (): Promise<void> => undefined;

/** Repeats a job whose supervisor was lost, from a clean checkout: half a result is not used. */
async function superviseAgain(
  ports: EnginePorts,
  jobOf: (number: number) => Job,
  first: number,
): Promise<{ readonly job: Job; readonly record: ExitRecord }> {
  for (let number = first; ; number += 1) {
    const job = jobOf(number);
    const record = await superviseJob(ports.supervisors, job, { started: nothing, noted: nothing, followed: nothing });
    if (record.ending.reason !== 'lost' || number === first + lostTries - 1) return { job, record };
    await ports.supervisors.acknowledge(job.id);
  }
}

/** The most times that a job runs when its supervisor is lost. Numbers of jobs are never used twice. */
const lostTries = 4;

const isOutcomeOf = (effect: Effect & { readonly do: 'check' }, check: CheckOutcome): boolean =>
  check.tree === effect.tree && check.name === effect.check.name;

/** Resolves with the exit record, whoever started the supervisor. */
export function superviseJob(
  supervisors: Supervisors,
  job: Job,
  on: {
    started(record: StartedRecord, pid: number): Promise<void>;
    noted(notes: readonly NumberedNote[]): Promise<void>;
    followed(): void;
  },
): Promise<ExitRecord> {
  return new Promise((resolve, reject) => {
    let noted = Promise.resolve();
    const listen = supervisors.ensure(job, (event) => {
      if (event.type === 'ended') noted.then(() => resolve(event.record), reject);
      else
        noted = noted.then(() =>
          event.type === 'started' ? on.started(event.record, event.pid) : on.noted(event.notes),
        );
      noted.catch(reject);
    });
    on.followed();
    listen.catch(reject);
  });
}
