import type { By, RequestEvent, RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import { type AttemptId, idPattern, type TaskId, taskId } from './ids.ts';
import { err, ok, type Result } from './result.ts';
import type { RunState } from './run.ts';

/**
 * `question` and `request` wait for an answer; the others only tell: what is so, what was decided, what the next one at this work has
 * to know.
 */
export const recordKinds = ['note', 'question', 'request', 'decision', 'handoff-note'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** `person`: whoever looks after the run. `all`: every task of it. A task that is called so cannot be addressed by name. */
type RecordTarget = TaskId | 'person' | 'all';

/** What somebody puts on the board. */
export type Post = { readonly kind: RecordKind; readonly target: RecordTarget; readonly text: string };

/** An agent is known by the channel that it spoke through; `post` counts what came through it. */
type RecordAuthor = { readonly task: TaskId; readonly attempt: AttemptId; readonly post: number } | By;

/**
 *   open ──▶ answered        by a person
 *     └────▶ closed          without an answer; what waits for none is closed from the start
 */
export type BoardRecord = Post & {
  /** Counts the records of a run, from 1. */
  readonly id: string;
  readonly status: 'open' | 'answered' | 'closed';
  readonly from: RecordAuthor;
  readonly answer?: { readonly text: string; readonly by: By };
};

export const postLimits = { characters: 4_000, ofAttempt: 50, shown: 100 } as const;

/** What is wrong with it; null: nothing. */
export function faultOf({ kind, target, text }: { kind: unknown; target: unknown; text: unknown }): Finding | null {
  if (!recordKinds.some((known) => known === kind)) return { rule: 'post-kind', kinds: recordKinds };
  if (typeof target !== 'string' || !idPattern.test(target)) return { rule: 'post-target' };
  return faultOfText(text);
}

function faultOfText(text: unknown): Finding | null {
  if (typeof text !== 'string' || text.trim() === '') return { rule: 'post-empty' };
  return text.length <= postLimits.characters ? null : { rule: 'post-long', limit: postLimits.characters };
}

/** What a person's post or answer leads to. */
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
    return ok([{ type: 'record-posted', kind, target, text, by }]);
  }
  const record = state.board.find(({ id }) => id === request.record);
  if (record === undefined) return err({ rule: 'no-such-record', run: state.run, record: request.record });
  if (record.status !== 'open') return err({ rule: 'record-settled', record: record.id, status: record.status });
  if (request.text === null) return ok([{ type: 'record-closed', record: record.id, by }]);
  const fault = faultOfText(request.text);
  return fault === null ? ok([{ type: 'record-answered', record: record.id, text: request.text, by }]) : err(fault);
}

/** What did happen. `terms` grows with all that an agent at work is to be told. */
export function withBoard(state: RunState, event: RunEvent): RunState {
  const { board } = state;
  switch (event.type) {
    case 'attempt-noted': {
      if (event.note.note !== 'posted') return state;
      const { post, kind, target, text } = event.note;
      // nobody would ever read what is for a task that is not there
      const reached = isTask(target) && state.tasks[target] === undefined ? 'person' : target;
      return added(state, { kind, target: reached, text }, { task: event.task, attempt: event.attempt, post });
    }
    case 'record-posted':
      return added(state, event, event.by);
    case 'record-answered': {
      const { text, by } = event;
      const changed = board.map((one) =>
        one.id === event.record ? { ...one, status: 'answered' as const, answer: { text, by } } : one,
      );
      return { ...state, board: changed, terms: state.terms + 1 };
    }
    case 'record-closed': {
      const changed = board.map((one) => (one.id === event.record ? { ...one, status: 'closed' as const } : one));
      return { ...state, board: changed, terms: state.terms + 1 };
    }
    default:
      return state;
  }
}

function added(state: RunState, { kind, target, text }: Post, from: RecordAuthor): RunState {
  const status = kind === 'question' || kind === 'request' ? 'open' : 'closed';
  const record: BoardRecord = { id: String(state.board.length + 1), kind, status, target, text, from };
  return {
    ...state,
    board: [...state.board, record],
    terms: target === 'person' ? state.terms : state.terms + 1,
  };
}

const isTask = (target: RecordTarget): target is TaskId => target !== 'person' && target !== 'all';

export const isOfAgent = (from: RecordAuthor): from is Exclude<RecordAuthor, By> => 'attempt' in from;

/** What an agent of this task may read: what is for it or for all, and what it waits for itself. The newest, in order. */
export function inboxOf({ board }: Pick<RunState, 'board'>, task: TaskId): readonly BoardRecord[] {
  const isOwn = ({ from }: BoardRecord): boolean => isOfAgent(from) && from.task === task;
  const concerns = (record: BoardRecord): boolean =>
    isOwn(record)
      ? record.kind === 'question' || record.kind === 'request'
      : record.target === task || record.target === 'all';
  return board.filter(concerns).slice(-postLimits.shown);
}

/** What waits for a word of a person. It holds nothing up. */
export const openToPerson = ({ board }: Pick<RunState, 'board'>): readonly BoardRecord[] =>
  board.filter(({ status, target }) => status === 'open' && target === 'person');

export const targetNamed = (name: string): RecordTarget => (name === 'person' || name === 'all' ? name : taskId(name));
