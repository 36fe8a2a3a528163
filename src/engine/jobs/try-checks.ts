import type { RunOrder } from '../../domain/ledger/requests.ts';
import type { Check } from '../../domain/plan/plan.ts';
import { foldRun, type RunState } from '../../domain/run/run.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Merger } from '../../ports/merger.ts';
import type { ExitRecord, Job, Supervisors } from '../../ports/supervisor.ts';
import { createRun } from '../orders/create-run.ts';
import { checkJob, type JobPlaces } from './jobs.ts';

/** A state directory that nobody else uses, with the ports that work on it. */
export type Scratch = {
  readonly ledger: Ledger;
  readonly epoch: number;
  readonly merger: Merger;
  readonly supervisors: Supervisors;
  readonly places: JobPlaces;
};

export type Tried = { readonly check: Check | null; readonly record: ExitRecord };

/**
 * Runs `setup` and then each check on the commit that a run of this order would start from: the same jobs behind the same fence.
 * `check` is null for setup. If setup fails, nothing more runs, because every check would fail too. After `stop` nothing is
 * started, and a running job is ended.
 */
export async function* tryChecks(scratch: Scratch, order: RunOrder, stop: AbortSignal): AsyncGenerator<Tried> {
  const state = await openRun(scratch, order);
  if (stop.aborted) return;
  const setUp = await carryOut(scratch, jobOf(scratch, state, emptyCheck), stop);
  yield { check: null, record: setUp };
  if (!isDone(setUp)) return;
  for (const check of order.plan.checks) {
    if (stop.aborted) return;
    yield { check, record: await carryOut(scratch, jobOf(scratch, state, check), stop) };
  }
}

export const isDone = ({ ending }: ExitRecord): boolean => ending.reason === 'exited' && ending.code === 0;

/** Its job is made like any other: a workspace and `setup` in it come before the command. */
const emptyCheck: Check = { name: 'setup', run: 'true', minutes: 1 };

async function openRun({ ledger, epoch, merger }: Scratch, order: RunOrder): Promise<RunState> {
  const seen = { earlier: [], actual: order.repo };
  await ledger.append(order.run, 0, createRun(order, { who: 'tidegate', via: 'policy' }, seen), epoch);
  const answer = await merger.ask({ do: 'open-run', run: order.run }, epoch);
  const state = foldRun(await ledger.read(order.run));
  if (answer.outcome !== 'done' || state === null) throw new Error(`a run could not be opened: ${answer.outcome}`);
  return state;
}

function jobOf({ places }: Scratch, state: RunState, check: Check): Job {
  if (state.branch === null) throw new Error('a run that was opened has a branch');
  return checkJob(places, state, { ...state.branch, check, number: 1 });
}

async function carryOut({ supervisors }: Scratch, job: Job, stop: AbortSignal): Promise<ExitRecord> {
  const { promise, resolve, reject } = Promise.withResolvers<ExitRecord>();
  const end = (): void => void supervisors.stop(job.id, 'stopped').catch(reject);
  stop.addEventListener('abort', end);
  try {
    await supervisors.ensure(job, (event) => {
      if (event.type === 'ended') resolve(event.record);
    });
    if (stop.aborted) end();
    const record = await promise;
    await supervisors.acknowledge(job.id);
    return record;
  } finally {
    stop.removeEventListener('abort', end);
  }
}
