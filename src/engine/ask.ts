import type { RunId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { answer, waitsForResume } from '../domain/decide/answer.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Stored } from '../ports/ledger.ts';
import type { RepositoryHandle } from '../ports/repository-handle.ts';
import { followStream } from './follow-ledger.ts';
import { readRun } from './orders/find-run.ts';

export type Answered =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly because: Finding }
  /** The environment failed on the way; the request is kept and done by `resume`. */
  | { readonly outcome: 'halted'; readonly because: Finding }
  | { readonly outcome: 'no-answer' };

/** Of a repository, what asking takes. */
type Asking = Pick<RepositoryHandle, 'ledger' | 'ensureCoordinator' | 'patienceMs'>;

/** How soon a coordinator that died is missed. */
const lookMs = 200;
/** How soon it is told that a halted run does nothing about a request. */
const haltMs = 1_000;

type Asked = { readonly run: RunId; readonly state: RunState };

/**
 * Asks for something by a request in the run's stream, and waits for the coordinator's answer to it.
 * What would be refused as things stand is refused here, without leaving a request behind.
 * `seq` is the number of the request; 0 when none was left. `earlier` was asked before, and its answer is waited for.
 */
export async function askAs(
  repo: Asking,
  { run, state }: Asked,
  request: RequestEvent,
  earlier?: Stored,
): Promise<{ readonly answered: Answered; readonly seq: number }> {
  const recorded = earlier === undefined ? await record(repo, { run, state }, request) : ok(earlier);
  if (!recorded.ok) return { answered: { outcome: 'refused', because: recorded.error }, seq: 0 };
  const stored = recorded.value;
  const { seq } = stored;
  if (!(await repo.ensureCoordinator())) return { answered: { outcome: 'no-answer' }, seq };
  return { answered: await answerTo(repo, stored, () => progressOf(repo, stored, request)), seq };
}

/** Leaves the request in the ledger, or says why it would be refused. */
async function record(repo: Asking, { run, state }: Asked, request: RequestEvent): Promise<Result<Stored, Finding>> {
  const decided = answer(state, request);
  return decided.ok ? ok(await repo.ledger.request(run, request)) : err(decided.error);
}

/** Waits for the answer to a request that is in the ledger. */
export const answerOf = (repo: Asking, asked: Stored): Promise<Answered> => answerTo(repo, asked, async () => 'none');

/** While a request is `under-way`, silence is not absence. A run that was halted before says nothing more. */
type Progress = 'none' | 'under-way' | (Answered & { readonly outcome: 'halted' });

async function answerTo(repo: Asking, asked: Stored, progress: () => Promise<Progress>): Promise<Answered> {
  const answered = Promise.withResolvers<Answered>();
  const take = ({ event }: Stored): void => {
    const found = answerIn(event, asked.seq);
    if (found !== null) answered.resolve(found);
  };
  const answers = followStream(repo.ledger, asked.stream, take, asked);
  await using _listening = answers.listen();
  await answers.catchUp();
  let waited = 0;
  let looking = false;
  const look = async (): Promise<void> => {
    waited += lookMs;
    if (looking) return;
    looking = true;
    // It may have ended just before the request reached it.
    if (!(await repo.ensureCoordinator())) answered.resolve({ outcome: 'no-answer' });
    else if (waited >= Math.min(haltMs, repo.patienceMs)) {
      const seen = await progress();
      if (typeof seen === 'object') answered.resolve(seen);
      else if (seen === 'none' && waited >= repo.patienceMs) answered.resolve({ outcome: 'no-answer' });
    }
    looking = false;
  };
  const patience = setInterval(() => void look().catch(answered.reject), lookMs);
  try {
    return await answered.promise;
  } finally {
    clearInterval(patience);
  }
}

function answerIn(event: LedgerEvent, seq: number): Answered | null {
  if (event.type === 'request-accepted' && event.request === seq) return { outcome: 'accepted' };
  if (event.type === 'request-refused' && event.request === seq) return { outcome: 'refused', because: event.because };
  if (event.type === 'run-halted') return { outcome: 'halted', because: event.because };
  return null;
}

/** An agent has to be stopped or the merger to be through first: silence is work, not absence. */
async function progressOf(repo: Asking, asked: Stored, request: RequestEvent): Promise<Progress> {
  const { state } = await readRun(repo.ledger, asked.stream as RunId);
  if (state === null) return 'none';
  const because = waitsForResume(state, request);
  if (because !== null) return { outcome: 'halted', because };
  const decided = answer(state, request);
  return decided.ok && decided.value === 'later' ? 'under-way' : 'none';
}
