import { present } from '../../domain/base/result.ts';
import { decideNote } from '../../domain/board/agent-notes.ts';
import { plannedIn } from '../../domain/derived/derived-tasks.ts';
import { judged } from '../../domain/gates/judge.ts';
import { keepAtEnd } from '../../domain/kept/discard.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import { attemptOf, liveAttempt } from '../../domain/run/task.ts';
import { contextOf, type Effect, messageSent } from '../../pipeline/step.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Drafts, ExitRecord, NumberedNote, StartedRecord } from '../../ports/supervisor.ts';
import type { EnginePorts } from '../engine-ports.ts';
import { asIntended, promptOf } from '../prompt/prompt.ts';
import type { RunLog } from '../run-log.ts';
import { attemptJob, termsOf } from './jobs.ts';
import { superviseJob } from './project-commands.ts';

type Supervise = Effect & { readonly do: 'supervise' };

/** Supervises an attempt from its launch to the record of its end. Adopts an attempt of an earlier coordinator. */
export async function superviseAttempt(
  ports: EnginePorts & { readonly clock: Pick<Clock, 'now'> },
  log: RunLog,
  effect: Supervise,
  followed: () => void,
): Promise<void> {
  const { task: id, attempt } = effect;
  const now = log.state();
  const task = now === null ? undefined : plannedIn(now, id);
  if (now === null || task === undefined) throw new Error(`${id} is not in the plan`);
  const intended = asIntended(log.stored(), now, attempt.id);
  const prompt = await promptOf(ports.git, intended.state, id, intended.attempt);
  const job = attemptJob(ports.places, intended.state, task, attempt, prompt);
  const record = await superviseJob(ports.supervisors, job, {
    started: (started, pid) => log.record((now) => startedEvents(now, effect, started, { pid, at: ports.clock.now() })),
    noted: (notes) => log.record((now) => notedEvents(now, effect, notes, ports.clock.now())),
    followed,
  });
  const drafted = await readDraft(ports.drafts, task, now.target.branch, record);
  await log.record((now) => endedEvents(now, effect, { ...record, ...drafted }));
  await ports.supervisors.acknowledge(job.id);
}

/** `ended` resolves when the ledger has the end of the attempt. */
export async function tell(
  ports: EnginePorts,
  log: RunLog,
  { task: id, attempt, terms }: Effect & { readonly do: 'tell' },
  ended: Promise<void> | undefined,
): Promise<void> {
  const state = log.state();
  const task = state === null ? undefined : plannedIn(state, id);
  if (state === null || task === undefined) return;
  // an ended attempt needs no terms: wait until the ledger has its end, instead of repeating this
  if (!(await ports.supervisors.tell(attempt.id, termsOf(state, task)))) return ended?.catch(() => undefined);
  await log.record((now) => {
    const live = now?.tasks[id];
    const known = live === undefined ? null : liveAttempt(live);
    return known?.id === attempt.id && known.terms < terms
      ? [{ type: 'attempt-told', task: id, attempt: attempt.id, terms }]
      : null;
  });
}

export async function send(
  ports: EnginePorts,
  log: RunLog,
  { attempt, request, number }: Effect & { readonly do: 'send' },
  ended: Promise<void> | undefined,
): Promise<void> {
  const delivery = await ports.supervisors.send(attempt.id, number, request.message);
  // the end in the ledger decides whether the message was delivered
  if (delivery === 'over') return ended?.catch(() => undefined);
  const because = { rule: 'agent-busy', run: log.run, task: request.task, words: request.message } as const;
  const settled: readonly RunEvent[] =
    delivery === 'taken'
      ? [messageSent(attempt.id, request), { type: 'request-accepted', request: number }]
      : [{ type: 'request-refused', request: number, because }];
  await log.record((state) => (state?.pending.some((waiting) => waiting.seq === number) ? settled : null));
}

function startedEvents(
  state: RunState | null,
  { task: id, attempt }: Supervise,
  record: StartedRecord,
  { pid, at }: { readonly pid: number; readonly at: string },
): readonly RunEvent[] | null {
  const task = state?.tasks[id];
  if (state === null || task?.progress.status !== 'launching' || task.progress.attempt.id !== attempt.id) return null;
  const { workspaceBase, fence, argv, prompt, version } = record;
  const evidence = {
    attempt: attempt.id,
    base: attempt.from,
    workspaceBase,
    fence,
    agent: { executor: attempt.agent, argv, ...present({ version }) },
  };
  return [
    { type: 'attempt-started', task: id, attempt: attempt.id, pid, at, ...present({ prompt }) },
    judged(contextOf(state), { phase: 'dispatch', task: id, evidence }),
  ];
}

function notedEvents(
  state: RunState | null,
  { task, attempt }: Supervise,
  notes: readonly NumberedNote[],
  at: string,
): readonly RunEvent[] | null {
  const known = state?.tasks[task];
  const live = known === undefined ? null : liveAttempt(known);
  if (state === null || live?.id !== attempt.id) return null;
  const events: RunEvent[] = [];
  let now: RunState | null = state;
  for (const { number, note } of notes.filter((one) => one.number > live.noted)) {
    const onBoard = now === null ? {} : decideNote(now, { task, attempt: attempt.id }, note, at);
    const event: RunEvent = { type: 'attempt-noted', task, attempt: attempt.id, number, note, ...onBoard };
    events.push(event);
    // records are numbered one after the other
    if (note.note === 'posted' || note.note === 'acted') now = evolveRun(now, { seq: 0, event });
  }
  return events.length === 0 ? null : events;
}

function endedEvents(
  state: RunState | null,
  { task, attempt: { id } }: Supervise,
  record: ExitRecord & Drafted,
): readonly RunEvent[] | null {
  const live = state?.tasks[task];
  if (live === undefined || attemptOf(live)?.id !== id || !['launching', 'running'].includes(live.progress.status))
    return null;
  const { ending, handoff, snapshot, snapshotProblem, log, reminded, chargedSeconds, sleptSeconds } = record;
  const { refusals, agent, drafted } = record;
  return [
    {
      type: 'attempt-ended',
      task,
      attempt: id,
      ending,
      handoff,
      snapshot,
      snapshotProblem,
      ...keepAtEnd(live, { attempt: id, snapshot, snapshotProblem }),
      log,
      reminded,
      chargedSeconds,
      ...present({ sleptSeconds }),
      ...(refusals.length > 0 ? { refusals } : {}),
      ...present({ agent, drafted }),
    },
  ];
}

type Drafted = Pick<RunEvent & { readonly type: 'attempt-ended' }, 'drafted'>;

/**
 * Returns the findings against a drafted plan. Findings quote the plan and are kept for ever, so a plan that may hold a
 * secret is not read. Neither is one that does not count.
 */
async function readDraft(
  drafts: Drafts | undefined,
  task: PlannedTask,
  branch: string,
  { ending, handoff, snapshot }: ExitRecord,
): Promise<Drafted> {
  const isDone = ending.code === 0 && handoff.kind === 'given' && handoff.handoff.status === 'done';
  if (drafts === undefined || task.drafts === undefined || !isDone) return {};
  if (snapshot === null || snapshot.secrets.length > 0) return {};
  return { drafted: await drafts.mistakes({ commit: snapshot.commit, file: task.drafts, branch }) };
}
