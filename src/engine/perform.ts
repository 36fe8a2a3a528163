import type { RunEvent } from '../domain/events.ts';
import type { CheckOutcome } from '../domain/evidence.ts';
import type { TaskId } from '../domain/ids.ts';
import { judged } from '../domain/judge.ts';
import { plannedById } from '../domain/plan.ts';
import { unreachable } from '../domain/result.ts';
import type { RunState } from '../domain/run.ts';
import { startable } from '../domain/schedule.ts';
import { type Attempt, attemptOf } from '../domain/task.ts';
import { reworkInstead } from '../domain/texts/run.ts';
import { passes } from '../domain/verdict.ts';
import { contextOf, type Effect, messageSent } from '../pipeline/step.ts';
import type { Disk } from '../ports/disk.ts';
import type { Drafts } from '../ports/drafts.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { type GitReader, type Merger, type MergerAnswer, MergerFailed, type MergerRequest } from '../ports/merger.ts';
import type { Notices } from '../ports/notices.ts';
import type { ExitRecord, Job, NumberedNote, StartedRecord, Supervisors } from '../ports/supervisor.ts';
import type { Threads } from '../ports/threads.ts';
import { bindThread } from './bind-thread.ts';
import { attemptJob, checkJob, generateJob, type JobPlaces, termsOf } from './jobs.ts';
import { asIntended, promptOf } from './prompt/prompt-of.ts';
import { readDraft } from './read-draft.ts';
import type { RunLog } from './run-log.ts';
import { StaleEpoch } from './run-log.ts';

export type World = {
  readonly merger: Merger;
  readonly supervisors: Supervisors;
  readonly git: GitReader;
  readonly places: JobPlaces;
  readonly disk: Disk;
  /** Absent where nobody is to be told. */
  readonly notices?: Notices;
  readonly webhooks?: Notices;
  /** Absent where all threads are on the built-in board. */
  readonly threads?: Threads;
  /** Absent where no task drafts a plan. */
  readonly drafts?: Drafts;
  readonly epoch: number;
};

/** Of one attempt. Before its supervisor is followed, what it is told would reach nobody. */
type Supervision = { readonly followed: PromiseWithResolvers<void>; ended: Promise<void> | undefined };

/** Does one effect and records what came of it. Doing it again after a crash is safe. */
export function performer(world: World, log: RunLog): (effect: Effect) => Promise<void> {
  const attempts = new Map<string, Supervision>();
  const supervision = (id: string): Supervision => {
    const one = attempts.get(id) ?? { followed: Promise.withResolvers<void>(), ended: undefined };
    attempts.set(id, one);
    return one;
  };
  const onceFollowed = async (attempt: Attempt): Promise<Supervision> => {
    const one = supervision(attempt.id);
    await one.followed.promise;
    return one;
  };
  return async (effect) => {
    switch (effect.do) {
      case 'ask-merger':
        return askMerger(world, log, effect.request, effect.answers);
      case 'merge':
        return askMerger(world, log, { do: 'merge', run: log.run, wave: effect.wave, round: effect.round }, null);
      case 'supervise': {
        const one = supervision(effect.attempt.id);
        one.ended = supervise(world, log, effect, one.followed.resolve).finally(() => {
          attempts.delete(effect.attempt.id);
          one.followed.resolve();
        });
        return one.ended;
      }
      case 'stop': {
        const { ended } = await onceFollowed(effect.attempt);
        await world.supervisors.stop(effect.attempt.id, 'stopped');
        // through only when the attempt has ended: asked once, not over and over while it dies
        return ended?.catch(() => undefined);
      }
      case 'tell':
        return tell(world, log, effect, (await onceFollowed(effect.attempt)).ended);
      case 'send':
        return send(world, log, effect, (await onceFollowed(effect.attempt)).ended);
      case 'check':
        return runCheck(world, log, effect);
      case 'generate':
        return runGenerators(world, log, effect);
      case 'observe-run-branch':
        return observeRunBranch(world, log, effect);
      case 'observe-target':
        return observeTarget(world, log);
      case 'bind-thread':
        return bindThread(world.threads, log, effect);
      default:
        return unreachable(effect);
    }
  };
}

async function askMerger(world: World, log: RunLog, request: MergerRequest, answers: number | null): Promise<void> {
  const asked = log.state()?.hash;
  const answer = await askAgain(world, request);
  if (answer.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${world.epoch} is over`);
  await log.catchUp();
  // An undo is through when the ledger says so; otherwise it goes on from what the merger recorded.
  if (request.do === 'undo' && answer.outcome === 'done') return;
  if (answers !== null) {
    const settled: RunEvent =
      answer.outcome === 'done'
        ? { type: 'request-accepted', request: answers }
        : { type: 'request-refused', request: answers, why: answer.why };
    return log.record((state) => (state?.pending.some((waiting) => waiting.seq === answers) ? [settled] : null));
  }
  if (answer.outcome === 'done') return;
  if (request.do === 'land' || request.do === 'rebuild-landing')
    return landingRefused(world, log, answer.why, answer.files);
  // under another version of the plan it is asked for anew
  if (request.do === 'make-task-base')
    return log.state()?.hash === asked ? baseRefused(log, request.task, answer) : undefined;
  throw new EnvironmentFailed(`the merger refuses to ${request.do}: ${answer.why}`, 'tidegate why');
}

/** A merger that died is started anew: asking again is safe, and usually enough. */
async function askAgain(world: World, request: MergerRequest): Promise<MergerAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await world.merger.ask(request, world.epoch);
    } catch (cause) {
      if (!(cause instanceof MergerFailed) || tries === 3) throw cause;
    }
  }
}

/** Only this task waits. If what it needs is in the works again by now, there is nothing to say. */
function baseRefused(
  log: RunLog,
  task: TaskId,
  { why, files }: { readonly why: string; readonly files: readonly string[] },
): Promise<void> {
  return log.record((state) => {
    const waits = state !== null && startable(state).some(({ id, base }) => id === task && base === null);
    return waits ? [{ type: 'task-base-refused', task, why, files }] : null;
  });
}

/** The branch may have moved under the landing: then it is looked at again. Anything else is for a person. */
async function landingRefused(world: World, log: RunLog, why: string, files: readonly string[]): Promise<void> {
  const tip = await world.git.branchTip(log.state()?.target.branch ?? '');
  await log.record((state) => {
    if (state === null || state.landing.status === 'refused' || state.landing.status === 'landed') return null;
    const moved = state.landing.status === 'observed' && state.landing.tip !== tip;
    return moved
      ? [{ type: 'target-observed', commit: tip }]
      : [{ type: 'landing-refused', why, files, fix: 'tidegate land' }];
  });
}

async function supervise(
  world: World,
  log: RunLog,
  { task: id, attempt }: Effect & { readonly do: 'supervise' },
  followed: () => void,
): Promise<void> {
  const now = log.state();
  const task = now === null ? undefined : plannedById(now.plan, id);
  if (now === null || task === undefined) throw new Error(`${id} is not in the plan`);
  const intended = asIntended(log.stored(), now, attempt.id);
  const prompt = await promptOf(world.git, intended.state, intended.attempt);
  const job = attemptJob(world.places, intended.state, task, attempt, prompt);
  const record = await superviseJob(world, job, {
    started: (started, pid) => log.record((now) => startedEvents(now, id, attempt, started, pid)),
    noted: (notes) => log.record((now) => notedEvents(now, id, attempt, notes)),
    followed,
  });
  const drafted = await readDraft(world.drafts, task, now.target.branch, record);
  await log.record((now) => {
    const live = now?.tasks[id];
    if (
      live === undefined ||
      attemptOf(live)?.id !== attempt.id ||
      !['launching', 'running'].includes(live.progress.status)
    )
      return null;
    const { ending, handoff, snapshot, log: output, reminded, chargedSeconds, refusals } = record;
    return [
      {
        type: 'attempt-ended',
        task: id,
        attempt: attempt.id,
        ending,
        handoff,
        snapshot,
        log: output,
        reminded,
        chargedSeconds,
        ...(record.sleptSeconds === undefined ? {} : { sleptSeconds: record.sleptSeconds }),
        ...(refusals.length > 0 ? { refusals } : {}),
        ...(record.agent === undefined ? {} : { agent: record.agent }),
        ...drafted,
      },
    ];
  });
  await world.supervisors.acknowledge(job.id);
}

async function tell(
  world: World,
  log: RunLog,
  { task: id, attempt, terms }: Effect & { readonly do: 'tell' },
  ended: Promise<void> | undefined,
): Promise<void> {
  const state = log.state();
  const task = state === null ? undefined : plannedById(state.plan, id);
  if (state === null || task === undefined) return;
  // one that is over needs to know nothing: through when the ledger says so, not asked over and over until then
  if (!(await world.supervisors.tell(attempt.id, termsOf(state, task)))) return ended?.catch(() => undefined);
  await log.record((now) => {
    const live = now?.tasks[id];
    return live !== undefined && attemptOf(live)?.id === attempt.id && live.told < terms
      ? [{ type: 'attempt-told', task: id, attempt: attempt.id, terms }]
      : null;
  });
}

async function send(
  world: World,
  log: RunLog,
  { attempt, request, number }: Effect & { readonly do: 'send' },
  ended: Promise<void> | undefined,
): Promise<void> {
  const said = await world.supervisors.send(attempt.id, number, request.message);
  // it is refused, or was heard after all, when the ledger has the end
  if (said === 'over') return ended?.catch(() => undefined);
  const why = `the agent of ${request.task} takes no message now; when it has ended: ${reworkInstead(`${log.run}/${request.task}`, request.message)}`;
  const settled: readonly RunEvent[] =
    said === 'taken'
      ? [messageSent(attempt.id, request), { type: 'request-accepted', request: number }]
      : [{ type: 'request-refused', request: number, why }];
  await log.record((state) => (state?.pending.some((waiting) => waiting.seq === number) ? settled : null));
}

/** Resolves with the exit record, whoever started the supervisor. */
function superviseJob(
  world: World,
  job: Job,
  on: {
    started(record: StartedRecord, pid: number): Promise<void>;
    noted(notes: readonly NumberedNote[]): Promise<void>;
    followed(): void;
  },
): Promise<ExitRecord> {
  return new Promise((resolve, reject) => {
    let noted = Promise.resolve();
    const listen = world.supervisors.ensure(job, (event) => {
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

function startedEvents(
  state: RunState | null,
  id: TaskId,
  attempt: Attempt,
  record: StartedRecord,
  pid: number,
): readonly RunEvent[] | null {
  const task = state?.tasks[id];
  if (state === null || task?.progress.status !== 'launching' || task.progress.attempt.id !== attempt.id) return null;
  const { workspaceBase, fence, argv, prompt, version } = record;
  const evidence = {
    attempt: attempt.id,
    base: attempt.from,
    workspaceBase,
    fence,
    agent: { executor: attempt.agent, argv, ...(version === undefined ? {} : { version }) },
  };
  return [
    { type: 'attempt-started', task: id, attempt: attempt.id, pid, ...(prompt === undefined ? {} : { prompt }) },
    judged(contextOf(state), { phase: 'dispatch', task: id, evidence }),
  ];
}

function notedEvents(
  state: RunState | null,
  task: TaskId,
  attempt: Attempt,
  notes: readonly NumberedNote[],
): readonly RunEvent[] | null {
  const live = state?.tasks[task];
  if (live === undefined || attemptOf(live)?.id !== attempt.id) return null;
  const fresh = notes.filter(({ number }) => number > live.noted);
  return fresh.length === 0
    ? null
    : fresh.map(({ number, note }) => ({ type: 'attempt-noted', task, attempt: attempt.id, number, note }));
}

async function runCheck(world: World, log: RunLog, effect: Effect & { readonly do: 'check' }): Promise<void> {
  const state = log.state();
  if (state === null) return;
  const earlier = log
    .stored()
    .filter(({ event }) => event.type === 'check-ended' && isOutcomeOf(effect, event.check)).length;
  const jobOf = (number: number): Job => checkJob(world.places, state, { ...effect, number });
  const { job, record } = await superviseAgain(world, jobOf, earlier * lostTries + 1);
  const check = outcomeOf(effect, record);
  // under another version of the plan a check of this name may be another command
  await log.record((now) =>
    now?.hash === state.hash ? [{ type: 'check-ended', purpose: effect.purpose, check }] : null,
  );
  await world.supervisors.acknowledge(job.id);
}

async function runGenerators(world: World, log: RunLog, effect: Effect & { readonly do: 'generate' }): Promise<void> {
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
    const record = await superviseJob(world, job, { started: nothing, noted: nothing, followed: nothing });
    if (record.ending.reason !== 'lost' || number === first + lostTries - 1) return { job, record };
    await world.supervisors.acknowledge(job.id);
  }
}

/** How often a job is done because its supervisor was lost. Numbers of jobs are never used twice. */
const lostTries = 4;

const isOutcomeOf = (effect: Effect & { readonly do: 'check' }, check: CheckOutcome): boolean =>
  check.tree === effect.tree && check.name === effect.check.name;

function outcomeOf(effect: Effect & { readonly do: 'check' }, { ending, log, tail }: ExitRecord): CheckOutcome {
  const { name } = effect.check;
  const common = { name, tree: effect.tree, code: ending.code, log };
  switch (ending.reason) {
    case 'exited':
      return { ...common, outcome: ending.code === 0 ? 'passed' : 'failed', tail };
    case 'timed-out':
    case 'silent':
      return { ...common, outcome: 'timed-out', tail };
    default:
      return { ...common, outcome: 'could-not-run', tail: [ending.detail, tail].filter(Boolean).join('\n') };
  }
}

async function observeRunBranch(
  world: World,
  log: RunLog,
  effect: Effect & { readonly do: 'observe-run-branch' },
): Promise<void> {
  const observed = await world.git.runBranchTip(log.run);
  const closed = log.stored().findLast(({ event }) => event.type === 'phase-judged' && event.phase === 'closure');
  await log.record((state) => {
    const round = state?.waves[effect.wave]?.rounds.at(-1);
    if (state === null || observed === null || round?.status !== 'merged' || round.judged) return null;
    const evidence = { round: effect.round, old: effect.old, new: effect.new, observed, proof: closed?.hash ?? '' };
    const verdict = judged(contextOf(state), { phase: 'merge', wave: effect.wave, evidence });
    if (passes(verdict.verdicts)) return [verdict];
    const why = `the run branch is at ${observed}, not where it was moved to (${effect.new})`;
    return [verdict, { type: 'run-halted', why, fix: 'tidegate verify' }];
  });
  if (observed === null)
    throw new EnvironmentFailed('the run branch is gone from the bare repository', 'tidegate verify');
}

async function observeTarget(world: World, log: RunLog): Promise<void> {
  const branch = log.state()?.target.branch ?? '';
  const commit = await world.git.branchTip(branch);
  await log.record((state) => (state?.landing.status === 'none' ? [{ type: 'target-observed', commit }] : null));
}
