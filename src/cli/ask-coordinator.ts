import { answer } from '../domain/answer.ts';
import { answerInLine } from '../domain/answer-in-line.ts';
import type { LedgerEvent, RequestEvent } from '../domain/events.ts';
import type { RunId } from '../domain/ids.ts';
import { aheadInLine, knownRuns, readRun } from '../engine/find-run.ts';
import type { Stored } from '../ports/ledger.ts';
import { exitCodes, type Outcome } from './command.ts';
import { type Desk, failed } from './desk.ts';
import type { MadeRun } from './subject.ts';

export type Answered =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly why: string }
  /** The environment failed on the way; the request is kept and done by `resume`. */
  | { readonly outcome: 'halted'; readonly why: string }
  | { readonly outcome: 'no-answer' };

const lookMs = 1_000;

/**
 * Asks for something by a request in the run's stream, and waits for the coordinator's answer to it.
 * What would be refused as things stand is refused here, without leaving a request behind.
 */
export async function ask(desk: Desk, subject: MadeRun, request: RequestEvent): Promise<Answered> {
  const behind = await inLineBehind(desk, subject.run);
  const decided = behind === null ? answer(subject.state, request) : answerInLine(subject.state, request, behind);
  if (!decided.ok) return { outcome: 'refused', why: decided.error };
  const stored = await desk.ledger.request(subject.run, request);
  if (!(await desk.ensureCoordinator())) return { outcome: 'no-answer' };
  return await answerTo(desk, stored, request);
}

/** The outcome of a command that is one request. */
export async function askOnce(desk: Desk, subject: MadeRun, request: RequestEvent, said: string): Promise<Outcome> {
  return outcomeOf(subject.run, await ask(desk, subject, request), said);
}

export function outcomeOf(run: RunId, answered: Answered, said: string): Outcome {
  switch (answered.outcome) {
    case 'accepted':
      return { exit: exitCodes.done, reason: 'done', lines: [said], data: { run } };
    case 'refused':
      return {
        ...failed('refused', `refused: ${answered.why}${wayOut(answered.why, run)}`),
        data: { run, message: answered.why },
      };
    case 'halted':
      return {
        exit: exitCodes.personNeeded,
        reason: 'halted',
        needs: [{ kind: 'halted', task: null, message: answered.why, command: `tidegate resume ${run}` }],
        problems: [`tidegate: halted: ${answered.why}. What was asked is done by: tidegate resume ${run}`],
        data: { run },
      };
    case 'no-answer':
      return {
        exit: exitCodes.noAnswer,
        reason: 'no-answer',
        problems: [
          `tidegate: no coordinator answers; the request is recorded and is answered by: tidegate resume ${run}`,
        ],
        data: { run },
      };
  }
}

/** Most refusals say what to type instead; after the others a look at the run helps. */
const wayOut = (why: string, run: RunId): string => (/tidegate |git /.test(why) ? '' : `; see tidegate why ${run}`);

async function answerTo(desk: Desk, asked: Stored, request: RequestEvent): Promise<Answered> {
  const told = Promise.withResolvers<Answered>();
  await using _subscription = desk.ledger.subscribe(asked.seq, ({ stream, event }) => {
    const found = stream === asked.stream ? answerIn(event, asked.seq) : null;
    if (found !== null) told.resolve(found);
  });
  let waited = 0;
  let looking = false;
  const look = async (): Promise<void> => {
    waited += lookMs;
    if (looking) return;
    looking = true;
    // It may have ended just before the request reached it.
    if (!(await desk.ensureCoordinator())) told.resolve({ outcome: 'no-answer' });
    else if (waited >= desk.patienceMs && !(await isUnderWay(desk, asked, request)))
      told.resolve({ outcome: 'no-answer' });
    looking = false;
  };
  const patience = setInterval(() => void look().catch(told.reject), lookMs);
  try {
    return await told.promise;
  } finally {
    clearInterval(patience);
  }
}

function answerIn(event: LedgerEvent, seq: number): Answered | null {
  if (event.type === 'request-accepted' && event.request === seq) return { outcome: 'accepted' };
  if (event.type === 'request-refused' && event.request === seq) return { outcome: 'refused', why: event.why };
  if (event.type === 'run-halted') return { outcome: 'halted', why: event.why };
  return null;
}

/** An agent has to be stopped or the merger to be through first: silence is work, not absence. */
async function isUnderWay(desk: Desk, asked: Stored, request: RequestEvent): Promise<boolean> {
  const { state } = await readRun(desk.ledger, asked.stream as RunId);
  if (state === null) return false;
  const decided = answer(state, request);
  return decided.ok && decided.value === 'later';
}

/** The run that this one waits in line for. Null: it is its turn, or it has ended. */
export async function inLineBehind(desk: Desk, run: RunId): Promise<RunId | null> {
  const runs = await knownRuns(desk.ledger);
  const mine = runs.find((known) => known.run === run);
  return mine === undefined ? null : aheadInLine(runs, mine);
}
