import type { RunId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { answer, waitsForResume } from '../domain/decide/answer.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import { type RepositoryState, theRepository } from '../domain/repository/repository.ts';
import { answerOnRepository } from '../domain/repository/repository-board.ts';
import type { RunState } from '../domain/run/run.ts';
import { repositoryStream, type Stored, type Stream } from '../ports/ledger.ts';
import type { RepositoryHandle } from '../ports/repository-handle.ts';
import { followStream } from './follow-ledger.ts';
import { readRun } from './orders/find-run.ts';

export type Answered =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly because: Finding }
  /** The environment failed; the request is kept, and `resume` performs it. */
  | { readonly outcome: 'halted'; readonly because: Finding }
  | { readonly outcome: 'no-answer' };

type RequestRepository = Pick<RepositoryHandle, 'ledger' | 'ensureCoordinator' | 'patienceMs'>;

/** Milliseconds until a dead coordinator is noticed. */
const lookMs = 200;
/** Milliseconds until a halted run counts as an answer. */
const haltMs = 1_000;

/** The run that a request is about, or the repository, in its current state. */
type RequestTarget = { readonly run: RunId } & (
  | { readonly state: RunState }
  | { readonly repository: RepositoryState }
);

/** The stream that requests about it are recorded in. */
export const requestStream = ({ run }: Pick<RequestTarget, 'run'>): Stream =>
  run === theRepository ? repositoryStream : run;

const answerNow = (target: RequestTarget, request: RequestEvent) =>
  'repository' in target ? answerOnRepository(target.repository, request) : answer(target.state, request);

/**
 * Records a request in the stream of the run, or of the repository, and waits for the coordinator's answer. A request that the current state refuses is
 * refused here and not recorded. `seq` is the number of the request; 0 when none was recorded. `earlier` is the same request,
 * recorded before: only its answer is waited for.
 */
export async function askAs(
  repo: RequestRepository,
  target: RequestTarget,
  request: RequestEvent,
  earlier?: Stored,
): Promise<{ readonly answered: Answered; readonly seq: number }> {
  const recorded = earlier === undefined ? await record(repo, target, request) : ok(earlier);
  if (!recorded.ok) return { answered: { outcome: 'refused', because: recorded.error }, seq: 0 };
  const stored = recorded.value;
  const { seq } = stored;
  if (!(await repo.ensureCoordinator())) return { answered: { outcome: 'no-answer' }, seq };
  return { answered: await answerTo(repo, stored, () => progressOf(repo, stored, request)), seq };
}

/** Records the request, or returns why it would be refused. */
async function record(
  repo: RequestRepository,
  target: RequestTarget,
  request: RequestEvent,
): Promise<Result<Stored, Finding>> {
  const decided = answerNow(target, request);
  return decided.ok ? ok(await repo.ledger.request(requestStream(target), request)) : err(decided.error);
}

/** Waits for the answer to a request that is in the ledger. */
export const answerOf = (repo: RequestRepository, recorded: Stored): Promise<Answered> =>
  answerTo(repo, recorded, async () => 'none');

/** While a request is `under-way`, the coordinator may take its time. A halted run does not answer at all. */
type Progress = 'none' | 'under-way' | (Answered & { readonly outcome: 'halted' });

async function answerTo(
  repo: RequestRepository,
  recorded: Stored,
  progress: () => Promise<Progress>,
): Promise<Answered> {
  const answered = Promise.withResolvers<Answered>();
  const take = ({ event }: Stored): void => {
    const outcome = answerIn(event, recorded.seq);
    if (outcome !== null) answered.resolve(outcome);
  };
  const answers = followStream(repo.ledger, recorded.stream, take, recorded);
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

/** An agent may have to stop or the merger to finish first, so the lack of an answer is no failure. */
async function progressOf(repo: RequestRepository, recorded: Stored, request: RequestEvent): Promise<Progress> {
  if (recorded.stream === repositoryStream) return 'none';
  const { state } = await readRun(repo.ledger, recorded.stream as RunId);
  if (state === null) return 'none';
  const because = waitsForResume(state, request);
  if (because !== null) return { outcome: 'halted', because };
  const decided = answer(state, request);
  return decided.ok && decided.value === 'later' ? 'under-way' : 'none';
}
