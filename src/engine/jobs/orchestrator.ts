import { usualNetwork } from '../../agents/agents.ts';
import { present } from '../../domain/base/result.ts';
import { recordsOf } from '../../domain/board/board.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { decideGuidance, overviewOf } from '../../domain/orchestrator/guidance.ts';
import { type LiveOrchestrator, orchestratorId } from '../../domain/orchestrator/orchestrator.ts';
import type { PlannedOrchestrator } from '../../domain/plan/plan.ts';
import { evolveRun, foldRun, type Recorded, type RunState } from '../../domain/run/run.ts';
import { policy } from '../../domain/settings/policy.ts';
import { toolScopeOf } from '../../domain/tool-calls/tool-scope.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { Clock } from '../../ports/clock.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { ExitRecord, Job, NumberedNote, Terms } from '../../ports/supervisor.ts';
import type { EnginePorts } from '../engine-ports.ts';
import { orchestratorPrompt, orchestratorTask } from '../prompt/orchestrator-prompt.ts';
import type { RunLog } from '../run-log.ts';
import { driven, type JobPlaces } from './jobs.ts';
import { superviseJob } from './project-commands.ts';

/**
 * Supervises the resident orchestrator from its launch to the record of its end. Adopts one of an earlier coordinator. If the
 * environment fails, that is its end, and the run continues.
 */
export async function superviseOrchestrator(
  ports: EnginePorts & { readonly clock: Pick<Clock, 'now'> },
  log: RunLog,
  { orchestrator: { id } }: Effect & { readonly do: 'orchestrate' },
  followed: () => void,
): Promise<void> {
  const intended = asIntended(log.stored(), id);
  const live = intended?.orchestrator?.live;
  const planned = intended?.plan.orchestrator;
  if (intended === null || live?.id !== id || planned === undefined) throw new Error(`${id} was never intended`);
  try {
    const job = orchestratorJob(ports.places, intended, planned, live);
    const record = await superviseJob(ports.supervisors, job, {
      started: ({ prompt }, pid) =>
        log.record((now) =>
          isRunning(now, live) ? [{ type: 'orchestrator-started', attempt: id, pid, ...present({ prompt }) }] : null,
        ),
      noted: (notes) => log.record((now) => notedEvents(now, live, notes, ports.clock.now())),
      followed,
    });
    await log.record((now) => endedEvents(now, live, record));
    await ports.supervisors.acknowledge(id);
  } catch (cause) {
    if (!isEnvironmental(cause)) throw cause;
    const ending = { reason: 'launch-failed', code: null, signal: null, because: failureOf(cause) } as const;
    await log.record((now) => endedEvents(now, live, { ...neverBegun, ending }));
  }
}

/** The run as it was when the orchestrator was intended, so that its job is the same after a restart, whatever the plan is by then. */
function asIntended(stored: readonly Recorded[], id: string): RunState | null {
  const at = stored.findLastIndex(({ event }) => event.type === 'orchestrator-intended' && event.attempt === id);
  return foldRun(stored.slice(0, at + 1));
}

/** `ended` resolves when the ledger has its end. */
export async function tellOrchestrator(
  ports: EnginePorts,
  log: RunLog,
  { orchestrator: live, view }: Effect & { readonly do: 'tell-orchestrator' },
  ended: Promise<void> | undefined,
): Promise<void> {
  const state = log.state();
  const planned = state?.plan.orchestrator;
  if (state === null || planned === undefined) return;
  if (!(await ports.supervisors.tell(live.id, termsOf(state, planned, live)))) return ended?.catch(() => undefined);
  await log.record((now) => (isRunning(now, live) ? [{ type: 'orchestrator-told', attempt: live.id, view }] : null));
}

/** Its job has no commit to work on and no setup: it gets an empty folder. */
function orchestratorJob(
  places: JobPlaces,
  state: RunState,
  planned: PlannedOrchestrator,
  live: LiveOrchestrator,
): Job {
  const { plan, run } = state;
  const task = orchestratorTask(plan, planned);
  const { network, read, env, mode } = plan.fence;
  return {
    repository: places.state.repository,
    cache: places.state.cache,
    checkout: places.checkout,
    runDirectory: places.runDirectory,
    id: live.id,
    nonce: live.nonce,
    kind: 'orchestrator',
    from: state.target.commit,
    base: state.target.commit,
    argv: planned.command ?? [],
    ...driven(state, task, { agent: live.agent, session: null, usd: live.usd }),
    terms: termsOf(state, planned, live),
    brief: orchestratorPrompt(plan, planned),
    setup: null,
    isPersons: false,
    teardown: null,
    fence: { mode, network: network ?? usualNetwork(live.agent), read, write: [], env },
    environment: {
      TIDEGATE_RUN: run,
      TIDEGATE_TASK: orchestratorId,
      TIDEGATE_ATTEMPT: live.id,
      TIDEGATE_NONCE: live.nonce,
    },
    minutes: live.minutes,
    // whoever watches is silent for long
    silence: live.minutes,
    readOnly: [],
  };
}

/** It reads the newest records of the whole board, and the state of the run. */
const termsOf = (state: RunState, planned: PlannedOrchestrator, { usd }: LiveOrchestrator): Terms => ({
  scope: toolScopeOf(state.plan, orchestratorTask(state.plan, planned), []),
  usd,
  inbox: recordsOf(state).slice(-policy.recordsShown),
  overview: overviewOf(state),
});

const isRunning = (state: RunState | null, { id }: LiveOrchestrator): boolean => state?.orchestrator?.live?.id === id;

function notedEvents(
  state: RunState | null,
  live: LiveOrchestrator,
  notes: readonly NumberedNote[],
  at: string,
): readonly RunEvent[] | null {
  const noted = state?.orchestrator?.live;
  if (state === null || noted?.id !== live.id) return null;
  const events: RunEvent[] = [];
  let now: RunState | null = state;
  for (const { number, note } of notes.filter((one) => one.number > noted.noted)) {
    const onBoard = now === null ? {} : decideGuidance(now, note, at);
    const event: RunEvent = { type: 'orchestrator-noted', attempt: live.id, number, note, ...onBoard };
    events.push(event);
    // records are numbered one after the other
    if (note.note === 'posted') now = evolveRun(now, { seq: 0, event });
  }
  return events.length === 0 ? null : events;
}

type End = Pick<ExitRecord, 'ending' | 'log' | 'chargedSeconds' | 'refusals' | 'agent'>;

/** The end of one that never began. */
const neverBegun: Omit<End, 'ending'> = {
  log: { file: '', bytes: 0, kept: 0, sha256: '' },
  chargedSeconds: 0,
  refusals: [],
};

function endedEvents(state: RunState | null, live: LiveOrchestrator, end: End): readonly RunEvent[] | null {
  if (!isRunning(state, live)) return null;
  const { ending, log, chargedSeconds, refusals, agent } = end;
  const tried = refusals.length > 0 ? { refusals } : {};
  return [
    { type: 'orchestrator-ended', attempt: live.id, ending, log, chargedSeconds, ...tried, ...present({ agent }) },
  ];
}
