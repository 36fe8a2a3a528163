import { idPattern, type TaskId, taskId } from '../base/ids.ts';
import { err, ok, present, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { BoardEvent } from '../ledger/board-events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { WavesOfPlan } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { decideAct, isOpenRecord } from './acts.ts';
import { isBlocking } from './blocking.ts';
import {
  type BoardRecord,
  escalation,
  type Post,
  type PostDetails,
  type PostTarget,
  type RecordPlace,
  type RecordTarget,
  recordById,
  recordsOf,
} from './board.ts';
import {
  asksPerson,
  confidences,
  isCritical,
  kindNamed,
  kindRules,
  type Poster,
  priorities,
  type RecordKind,
  recordKinds,
  severities,
  severityNamed,
} from './kinds.ts';
import { isCapability, routeOf } from './routing.ts';

type Boards = Pick<RunState, 'board' | 'tasks' | 'waves' | 'only'> & { readonly plan: WavesOfPlan };

/**
 * Returns the id, audience, status and time of a post. What is for a task that cannot act any more, or that the run does not have,
 * goes to a person.
 */
export function placeOf(
  state: Boards,
  { kind, target, references }: Pick<Post, 'kind' | 'target' | 'references'>,
  at?: string,
  author: TaskId | null = null,
): RecordPlace {
  const { waits, blocks } = kindRules[kind];
  const place = { id: String(state.board.length + 1), status: waits ? 'open' : 'closed', ...present({ at }) } as const;
  // whoever it names, an escalation is for a person
  if (blocks === 'always') return { ...place, to: 'person' };
  const routed = routeOf(state, { target, ...present({ references }) }, author);
  if (waits) return { ...place, ...routed };
  if (target === 'owner') return { ...place, to: routed.to };
  const isKnown = isRecordTarget(target) && (!isTask(target) || state.tasks[target] !== undefined);
  return { ...place, to: isKnown ? target : 'person' };
}

/** False when a rule has to find the task. */
export const isRecordTarget = (target: PostTarget): target is RecordTarget =>
  target !== 'owner' && !isCapability(target);
const isTask = (target: PostTarget): target is TaskId =>
  isRecordTarget(target) && target !== 'person' && target !== 'all';

/** A post as it came from outside. */
export type RawPost = {
  readonly kind: unknown;
  /** Absent when the poster names nobody. */
  readonly target?: unknown;
  readonly text: unknown;
  readonly severity?: unknown;
} & { readonly [Part in keyof PostDetails]?: unknown };

/** Reads a post that came from outside. */
export function readPost(raw: RawPost, poster: Poster): Result<Post, Finding> {
  const kind = kindNamed(raw.kind);
  if (kind === null) return err({ rule: 'post-kind', kinds: recordKinds });
  const { posts, blocks, severity: usual } = kindRules[kind];
  if (!posts.includes(poster)) return err({ rule: 'post-poster', kind, posts });
  const severity = raw.severity === undefined ? usual : severityNamed(raw.severity);
  if (severity === null) return err({ rule: 'post-severity', severities });
  if (raw.target === undefined && kind === 'request') return err({ rule: 'record-target' });
  const target = asksPerson(raw.kind) || blocks === 'always' ? 'person' : targetIn(raw.target ?? usualTarget(kind));
  if (target === null) return err({ rule: 'post-target' });
  if (poster === 'orchestrator' && target === 'person') return err({ rule: 'guidance-reader', named: target });
  const text = textIn(raw.text);
  if (!text.ok) return text;
  const details = detailsIn(raw);
  return details.ok ? ok({ kind, target, text: text.value, ...present({ severity }), ...details.value }) : details;
}

/** A blocker that names nobody is for a person: no task has to do anything about it. */
const usualTarget = (kind: RecordKind): PostTarget => (kind === 'blocker' ? 'person' : 'all');

const capabilityPattern = /^capability:[a-z0-9][a-z0-9._-]{0,63}$/i;

function targetIn(raw: unknown): PostTarget | null {
  if (typeof raw !== 'string') return null;
  const name = raw.replace(/^agent:/, '');
  return idPattern.test(name) || capabilityPattern.test(name) ? targetNamed(name) : null;
}

/** Reads the name of a target. `agent:<task>` is the task. */
export function targetNamed(name: string): PostTarget {
  const bare = name.replace(/^agent:/, '');
  return bare === 'person' || bare === 'all' || bare === 'owner' || isCapability(bare) ? bare : taskId(bare);
}

const most = { references: 20, characters: 300 };

function detailsIn(raw: RawPost): Result<PostDetails, Finding> {
  const { references, dependsOn, closureCondition, priority, confidence } = raw;
  const named = references === undefined ? undefined : referencesIn(references);
  if (named === null) return err({ rule: 'post-reference', limit: most.references });
  const records = dependsOn === undefined ? undefined : recordIds(dependsOn);
  if (records === null) return err({ rule: 'post-depends' });
  const condition = closureCondition === undefined ? undefined : textIn(closureCondition);
  if (condition?.ok === false) return condition;
  const urgency = priorities.find((one) => one === priority);
  if (priority !== undefined && urgency === undefined) return err({ rule: 'post-priority', priorities });
  const certainty = confidences.find((one) => one === confidence);
  if (confidence !== undefined && certainty === undefined) return err({ rule: 'post-confidence', confidences });
  return ok(
    present({
      references: named,
      dependsOn: records,
      closureCondition: condition?.value,
      priority: urgency,
      confidence: certainty,
    }),
  );
}

function recordIds(raw: unknown): readonly string[] | null {
  const all = Array.isArray(raw) && raw.length <= most.references ? raw : null;
  return all?.every((one) => typeof one === 'string' && /^[0-9]{1,9}$/.test(one)) === true ? all : null;
}

function referencesIn(raw: unknown): readonly string[] | null {
  if (!Array.isArray(raw) || raw.length > most.references) return null;
  const named = raw.map(referenceIn);
  return named.every((one) => one !== null) ? [...new Set(named)] : null;
}

/** A reference with its type in front: as written; a number is a record; anything else is a path. */
function referenceIn(raw: unknown): string | null {
  if (typeof raw !== 'string' || raw.trim() === '' || raw.length > most.characters) return null;
  if (/^(?:path|component|task|record):./.test(raw)) return raw;
  return /^#?[0-9]{1,9}$/.test(raw) ? `record:${raw.replace('#', '')}` : `path:${raw}`;
}

function textIn(text: unknown): Result<string, Finding> {
  if (typeof text !== 'string' || text.trim() === '') return err({ rule: 'post-empty' });
  const limit = policy.recordCharacters;
  return text.length <= limit ? ok(text) : err({ rule: 'post-long', limit });
}

/** A person's request about a board. */
export type BoardRequest = RequestEvent & { readonly type: 'requested-post' | 'requested-answer' | 'requested-record' };

/** Decides what a person asks of the board: a post, an answer or another act. */
export function answerOnBoard(
  state: Boards & Pick<RunState, 'run'>,
  request: BoardRequest,
  at?: string,
): Result<readonly BoardEvent[], Finding> {
  if (request.type === 'requested-post') return post(state, request, at);
  if (request.type === 'requested-record') return act(state, request, at);
  const { text } = request;
  return text === null ? close(state, request, at) : answered(state, { ...request, text }, at);
}

function post(
  state: Boards & Pick<RunState, 'run'>,
  { by, ...request }: BoardRequest & { readonly type: 'requested-post' },
  at: string | undefined,
): Result<readonly BoardEvent[], Finding> {
  const read = readPost(request, 'person');
  if (!read.ok) return read;
  const unknown = unknownDependency(state, read.value);
  if (unknown !== null) return err(unknown);
  const { target } = read.value;
  if (isTask(target) && state.tasks[target] === undefined)
    return err({ rule: 'no-such-task', run: state.run, task: target });
  return ok([{ type: 'record-posted', ...read.value, place: placeOf(state, read.value, at), by }]);
}

/** A record can depend on records that are on the board, so never on itself or on one that depends on it. Null when it does. */
export function unknownDependency(
  state: Pick<RunState, 'board' | 'run'>,
  { dependsOn = [] }: Pick<Post, 'dependsOn'>,
): Finding | null {
  const record = dependsOn.find((id) => recordById(state, id) === undefined);
  return record === undefined ? null : { rule: 'no-such-record', run: state.run, record };
}

type Act = Omit<RequestEvent & { readonly type: 'requested-record' }, 'type'>;

function act(
  state: Boards & Pick<RunState, 'run'>,
  { by, ...order }: Act,
  at: string | undefined,
): Result<readonly BoardEvent[], Finding> {
  const decided = decideAct(state, order, by, at);
  if (!decided.ok) return decided;
  const [first, ...others] = decided.value;
  const changed = others.map((change): BoardEvent => ({ type: 'record-changed', ...change, by }));
  if (first?.act === 'escalate') {
    const added = escalation(order.text ?? '');
    const place = { ...placeOf(state, added, at), of: recordById(state, order.record)?.of ?? order.record };
    return ok([{ type: 'record-changed', ...first, by }, ...changed, { type: 'record-posted', ...added, place, by }]);
  }
  return ok(decided.value.map((change): BoardEvent => ({ type: 'record-changed', ...change, by })));
}

function answered(
  state: Boards & Pick<RunState, 'run'>,
  { record, text, by }: Omit<BoardRequest & { readonly type: 'requested-answer' }, 'text'> & { readonly text: string },
  at: string | undefined,
): Result<readonly BoardEvent[], Finding> {
  const decided = act(state, { record, act: 'answer', text, by }, at);
  return decided.ok ? ok([{ type: 'record-answered', record, text, by }, ...decided.value.slice(1)]) : decided;
}

/** Closes a question, or a request that blocks nothing, without an answer. What needs a reason to be dismissed is refused. */
function close(
  state: Boards & Pick<RunState, 'run'>,
  { record: id, by }: BoardRequest & { readonly type: 'requested-answer' },
  at: string | undefined,
): Result<readonly BoardEvent[], Finding> {
  const record = recordById(state, id);
  const mayClose =
    record === undefined || record.kind === 'question' || (record.kind === 'request' && !isBlocking(record));
  if (!mayClose && isOpenRecord(record)) return err({ rule: 'record-reason', act: 'dismiss' });
  const decided = decideAct(state, { record: id, act: 'dismiss', text: null }, by, at);
  if (!decided.ok) return decided;
  const others = decided.value.slice(1).map((change): BoardEvent => ({ type: 'record-changed', ...change, by }));
  return ok([{ type: 'record-closed', record: id, by }, ...others]);
}

/** Records that wait for a person. Only those that block hold anything up. */
export const openToPerson = (state: Pick<RunState, 'board'>): readonly BoardRecord[] =>
  recordsOf(state).filter(
    (record) => isOpenRecord(record) && (record.target === 'person' || (isCritical(record) && !record.setAside)),
  );

/** Says why the run does not land. */
export const heldByQuestion = (
  { run, target }: Pick<RunState, 'run' | 'target'>,
  { id, kind }: Pick<BoardRecord, 'id' | 'kind'>,
): Finding => ({
  rule: 'landing-question',
  run,
  record: id,
  branch: target.branch,
  ...(kind === 'question' ? {} : { kind }),
});
