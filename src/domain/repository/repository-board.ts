import { err, ok, present, type Result } from '../base/result.ts';
import { isOpenRecord } from '../board/acts.ts';
import { type BoardRecord, isOfAgent, type RecordActor, recordById, recordsOf } from '../board/board.ts';
import { answerOnBoard, type BoardRequest, openToPerson, placeOf } from '../board/board-requests.ts';
import { namesCaller, unknownRequest } from '../decide/answer.ts';
import { endDependency, examineBranchDependency } from '../dependencies/dependency-requests.ts';
import type { Finding } from '../findings/finding.ts';
import type { BoardEvent } from '../ledger/board-events.ts';
import type { DependencyEvent } from '../ledger/dependency-events.ts';
import type { By, RequestEvent } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { type RepositoryState, theRepository } from './repository.ts';

/** `later`: the coordinator decides it with the runs and branches of the repository. */
type RepositoryAnswer = Result<readonly (BoardEvent | DependencyEvent)[] | 'later', Finding>;

/** Decides what a person asks of the repository. `at` is the time; absent where nothing is recorded. */
export function answerOnRepository(state: RepositoryState, request: RequestEvent, at?: string): RepositoryAnswer {
  if (!namesCaller(request)) return err(unknownRequest(request));
  switch (request.type) {
    case 'requested-post':
    case 'requested-answer':
    case 'requested-record':
      return onBoard(state, request, at);
    case 'requested-dependency':
      return examineBranchDependency(request);
    case 'requested-dependency-end':
      return endDependency({ run: theRepository, dependencies: state.dependencies ?? [] }, request);
    default:
      return err(unknownRequest(request));
  }
}

/**
 * The board has no tasks, so a record is for all or for a person. Of whatever kind it is, it is open until a person settles it: that is
 * how long runs take it over.
 */
function onBoard(
  { board }: RepositoryState,
  request: BoardRequest,
  at: string | undefined,
): Result<readonly BoardEvent[], Finding> {
  const to =
    request.type === 'requested-post' ? request.target : request.type === 'requested-record' ? request.to : 'all';
  if (to !== undefined && to !== 'all' && to !== 'person') return err({ rule: 'repository-target' });
  const decided = answerOnBoard({ ...taskless, board }, request, at);
  return decided.ok ? ok(decided.value.map(asOpen)) : decided;
}

const asOpen = (event: BoardEvent): BoardEvent =>
  event.type === 'record-posted' ? { ...event, place: { ...event.place, status: 'open' } } : event;

const taskless = { run: theRepository, tasks: {}, plan: { waves: [] }, waves: [], only: null };

/** Records of the repository's board that wait for a person: those for a person, and critical ones. */
export const openOnRepository = ({ board }: Pick<RepositoryState, 'board'>): readonly BoardRecord[] =>
  openToPerson({ board });

/** Open records for people on the boards of runs that have ended. They are settled there, under the name of their run. */
export const outlivedRecords = (
  runs: readonly RunState[],
): readonly { readonly run: RunState['run']; readonly record: BoardRecord }[] =>
  runs
    .filter(({ ended }) => ended !== null)
    .flatMap((state) => openToPerson(state).map((record) => ({ run: state.run, record })));

/**
 * Returns the next event by which a live run takes over the repository's board: a record for all that is open, or the end of one that
 * it took over. The copy tells agents what the record says and blocks nothing. After a crash the same event follows again, and the
 * run's own stream says what it has: so each record arrives once. Null when there is nothing to take over.
 */
export function takenOver(state: RunState, above: Pick<RepositoryState, 'board'>, at: string): BoardEvent | null {
  if (above.board.length === 0) return null;
  for (const record of recordsOf(above)) {
    const own = state.taken?.[record.id];
    if (own === undefined) {
      if (record.target === 'all' && isOpenRecord(record)) return copied(state, record, at);
      continue;
    }
    if (!isOpenRecord(record) && recordById(state, own)?.status === 'closed') return settled(own, record, at);
  }
  return null;
}

function copied(state: RunState, record: BoardRecord, at: string): BoardEvent {
  const { id, kind, text, severity, references = [], closureCondition, priority, confidence, from } = record;
  // numbers of records mean something else on the board of a run
  const named = references.filter((one) => !one.startsWith('record:'));
  return {
    type: 'record-posted',
    kind,
    target: 'all',
    text,
    ...present({ severity, closureCondition, priority, confidence }),
    ...(named.length === 0 ? {} : { references: named }),
    place: { ...placeOf(state, { kind, target: 'all' }, at), to: 'all', status: 'closed' },
    repository: id,
    by: personOf(from),
  };
}

/** A record that was not answered or resolved is withdrawn: a decision among them counts no more. */
function settled(own: string, { status, answer, reason, from }: BoardRecord, at: string): BoardEvent {
  const by = personOf(answer?.by ?? reason?.by ?? from);
  const words = present({ answer: answer?.text, reason: reason?.text });
  if (status === 'answered') return { type: 'record-changed', record: own, act: 'answer', status, ...words, at, by };
  if (status === 'resolved') return { type: 'record-changed', record: own, act: 'resolve', status, ...words, at, by };
  return { type: 'record-changed', record: own, act: 'cancel', status: 'cancelled', ...words, at, by };
}

/** Only people write to the repository's board. */
const personOf = (someone: RecordActor): By => (isOfAgent(someone) ? { who: someone.task, via: 'policy' } : someone);
