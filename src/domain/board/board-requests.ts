import { idPattern, type TaskId, taskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import {
  type Board,
  type BoardRecord,
  isOfAgent,
  type Post,
  type RecordPlace,
  type RecordTarget,
  recordById,
  recordKinds,
  recordsOf,
  severities,
} from './board.ts';

/** Returns the id, audience and status of a post. A question or a request waits for an answer. A post for an unknown task goes to a person. */
export function placeOf(
  { board, tasks }: Pick<RunState, 'board' | 'tasks'>,
  { kind, target }: Pick<Post, 'kind' | 'target'>,
): RecordPlace {
  return {
    id: String(board.length + 1),
    to: isTask(target) && tasks[target] === undefined ? 'person' : target,
    status: kind === 'question' || kind === 'request' ? 'open' : 'closed',
  };
}

/** A post as it came from outside. */
type RawPost = {
  readonly kind: unknown;
  readonly target: unknown;
  readonly text: unknown;
  readonly severity?: unknown;
};

/** Returns the fault of a post; null when it has none. */
export function faultOf({ kind, target, text, severity }: RawPost): Finding | null {
  if (!recordKinds.some((known) => known === kind)) return { rule: 'post-kind', kinds: recordKinds };
  if (severity !== undefined && !severities.some((known) => known === severity))
    return { rule: 'post-severity', severities };
  if (typeof target !== 'string' || !idPattern.test(target)) return { rule: 'post-target' };
  return faultOfText(text);
}

function faultOfText(text: unknown): Finding | null {
  if (typeof text !== 'string' || text.trim() === '') return { rule: 'post-empty' };
  const limit = policy.recordCharacters;
  return text.length <= limit ? null : { rule: 'post-long', limit };
}

/** Decides a person's post or answer. */
export function answerOnBoard(
  state: Pick<RunState, 'run' | 'tasks' | 'board'>,
  request: RequestEvent & { readonly type: 'requested-post' | 'requested-answer' },
): Result<readonly RunEvent[], Finding> {
  const { by } = request;
  if (request.type === 'requested-post') {
    const { kind, target, text } = request;
    const fault = faultOf(request);
    if (fault !== null) return err(fault);
    if (isTask(target) && state.tasks[target] === undefined)
      return err({ rule: 'no-such-task', run: state.run, task: target });
    return ok([{ type: 'record-posted', kind, target, text, place: placeOf(state, request), by }]);
  }
  const record = recordById(state, request.record);
  if (record === undefined) return err({ rule: 'no-such-record', run: state.run, record: request.record });
  if (record.status !== 'open') return err({ rule: 'record-settled', record: record.id, status: record.status });
  if (request.text === null) return ok([{ type: 'record-closed', record: record.id, by }]);
  const fault = faultOfText(request.text);
  return fault === null ? ok([{ type: 'record-answered', record: record.id, text: request.text, by }]) : err(fault);
}

const isTask = (target: RecordTarget): target is TaskId => target !== 'person' && target !== 'all';

/** Records that an agent of this task may read: those for it or for all, and its own that wait for an answer. The newest, in order. */
export function inboxOf(state: Pick<RunState, 'board'>, task: TaskId): readonly BoardRecord[] {
  const isOwn = ({ from }: BoardRecord): boolean => isOfAgent(from) && from.task === task;
  const concerns = (record: BoardRecord): boolean =>
    isOwn(record)
      ? record.kind === 'question' || record.kind === 'request'
      : record.target === task || record.target === 'all';
  return recordsOf(state).filter(concerns).slice(-policy.recordsShown);
}

/** Records that wait for a person. Only the critical ones hold anything up. */
export const openToPerson = (state: Pick<RunState, 'board'>): readonly BoardRecord[] =>
  recordsOf(state).filter((record) => record.status === 'open' && (record.target === 'person' || isCritical(record)));

const criticalOnBoard = new WeakMap<Board, readonly BoardRecord[]>();

/** Records that hold the landing until they are answered or closed. A board never changes: looked through once. */
export function openCriticalQuestions(state: Pick<RunState, 'board'>): readonly BoardRecord[] {
  const known =
    criticalOnBoard.get(state.board) ??
    recordsOf(state).filter((record) => record.status === 'open' && isCritical(record));
  criticalOnBoard.set(state.board, known);
  return known;
}

/** Says why the run does not land. */
export const heldByQuestion = (
  { run, target }: Pick<RunState, 'run' | 'target'>,
  { id }: Pick<BoardRecord, 'id'>,
): Finding => ({ rule: 'landing-question', run, record: id, branch: target.branch });

export const isCritical = ({ severity }: Pick<Post, 'severity'>): boolean => severity === 'critical';

export const targetNamed = (name: string): RecordTarget => (name === 'person' || name === 'all' ? name : taskId(name));
