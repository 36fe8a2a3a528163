import { isDeepStrictEqual } from 'node:util';
import type { TaskId } from '../../domain/base/ids.ts';
import { actRules, openStatuses } from '../../domain/board/acts.ts';
import {
  escalation,
  isOfAgent,
  type Post,
  type RecordActor,
  type RecordChange,
  type RecordPlace,
} from '../../domain/board/board.ts';
import { gradeOf, kindRules } from '../../domain/board/kinds.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { isReadOnly } from '../../domain/plan/plan.ts';
import {
  byHand,
  creation,
  eventsOf,
  type History,
  isDoneEmpty,
  isMerged,
  planInForce,
  planned,
  waveInHistory,
} from './history.ts';

type Known = Pick<RecordPlace, 'to' | 'of' | 'route'> &
  Pick<Post, 'kind' | 'severity' | 'references'> & {
    readonly id: string;
    readonly author: TaskId | null;
    readonly status: RecordChange['status'];
    readonly isAside: boolean;
  };
type Change = Pick<RecordChange, 'record' | 'act' | 'status' | 'to' | 'severity' | 'setAside'>;

/**
 * Proves that no record of the board keeps the wave open. A record counts as settled only if a person asked for that by hand or had
 * decided it, or the agent of the task that it was for did it; only the agent that posted it may cancel it. Returns the first gap.
 */
export function openRecordGap(history: History, wave: number): ProofGap | null {
  const open = [...recordsIn(history).values()].find((record) => blocks(history, record, wave));
  return open === undefined ? null : { gap: 'record-open', record: open.id };
}

function recordsIn(history: History): ReadonlyMap<string, Known> {
  const records = new Map<string, Known>();
  const asked: { readonly record: string; readonly by: By }[] = [];
  /** A person asked for it by hand. Settling a record settles those that follow it up, so the request may name any of them. */
  const isAsked = (record: Known, actor: By): boolean =>
    (actor.via === 'policy' && isDecided(records, records.get(rootOf(record)) ?? record)) ||
    (byHand.has(actor.via) &&
      asked.some(({ record: id, by }) => {
        const named = records.get(id);
        return named !== undefined && rootOf(named) === rootOf(record) && isDeepStrictEqual(by, actor);
      }));
  const add = (
    post: Pick<Post, 'kind' | 'severity' | 'references'>,
    { id, to, of, route, status }: RecordPlace,
    author: TaskId | null,
  ) =>
    records.set(id, {
      id,
      kind: post.kind,
      to,
      status,
      author,
      isAside: false,
      ...(post.severity === undefined ? {} : { severity: post.severity }),
      ...(post.references === undefined ? {} : { references: post.references }),
      ...(of === undefined ? {} : { of }),
      ...(route === undefined ? {} : { route }),
    });
  const change = (changes: readonly Change[], actor: RecordActor): void => {
    const [first] = changes;
    const acted = first === undefined ? undefined : records.get(first.record);
    if (
      first === undefined ||
      acted === undefined ||
      !(isOfAgent(actor) ? mayAct(acted, first, actor.task) : isAsked(acted, actor))
    )
      return;
    for (const one of changes) {
      const record = records.get(one.record);
      if (record === undefined || rootOf(record) !== rootOf(acted)) continue;
      records.set(record.id, {
        ...record,
        status: one.status,
        isAside: record.isAside || one.setAside !== undefined,
        ...(one.to === undefined ? {} : { to: one.to }),
        ...(one.severity === undefined ? {} : { severity: one.severity }),
      });
    }
  };
  for (const { event } of history) {
    const request = requestedOf(event);
    if (request !== null) asked.push(request);
    if (event.type === 'record-posted') add(event, event.place, null);
    if (event.type === 'record-answered')
      change([{ record: event.record, act: 'answer', status: 'answered' }], event.by);
    if (event.type === 'record-closed') change([{ record: event.record, act: 'dismiss', status: 'closed' }], event.by);
    if (event.type === 'record-changed') change([event], event.by);
    if (event.type !== 'attempt-noted') continue;
    const { note, place, task, attempt, changes = [] } = event;
    change(changes, { task, attempt });
    if (place !== undefined && note.note === 'posted') add(note, place, task);
    if (place !== undefined && note.note === 'acted') add(escalation(''), place, task);
  }
  return records;
}

const rootOf = ({ of, id }: Known): string => of ?? id;

/** The record that a person's request is about. */
function requestedOf(event: LedgerEvent): { readonly record: string; readonly by: By } | null {
  if (event.type === 'requested-answer' || event.type === 'requested-record')
    return { record: event.record, by: event.by };
  const record = event.type === 'requested-resolve' ? /-([0-9]+)$/.exec(event.barrier)?.[1] : undefined;
  return event.type === 'requested-resolve' && record !== undefined ? { record, by: event.by } : null;
}

/** A person's decision names the same path, component or record as the question. */
const isDecided = (records: ReadonlyMap<string, Known>, { kind, references = [] }: Known): boolean =>
  kind === 'question' &&
  [...records.values()].some(
    (one) =>
      one.kind === 'decision' &&
      one.author === null &&
      (one.references ?? []).some((named) => !named.startsWith('task:') && references.includes(named)),
  );

function mayAct(record: Known, { act }: Change, task: TaskId): boolean {
  const { agent } = actRules[act];
  return (agent === 'addressee' && record.to === task) || (agent === 'author' && record.author === task);
}

function blocks(history: History, record: Known, wave: number): boolean {
  const grade = gradeOf(record.severity);
  if (!openStatuses.includes(record.status) || record.isAside || grade === 'advisory') return false;
  const { blocks: rule } = kindRules[record.kind];
  const isFor = record.to !== 'person' && record.to !== 'all';
  const isBlocking =
    rule === 'always' ||
    (rule !== 'never' && grade === 'critical') ||
    (rule === 'targeted' && (isFor || record.route !== undefined));
  return isBlocking && !isOfLaterWave(history, record, wave);
}

/**
 * Tells whether the record keeps a later wave open. Tasks of later waves may start early. A question or a request is of the wave of the
 * task that it is for, if that can still act, and anything else of the wave of its author.
 */
function isOfLaterWave(history: History, { kind, to, author }: Known, wave: number): boolean {
  const { plan } = planInForce(history);
  if (creation(history).wave !== null) return false;
  if (kindRules[kind].blocks === 'targeted' && to !== 'person' && to !== 'all') {
    const target = waveInHistory(plan, to);
    const task = planned(plan, to);
    const mayBeDone = target === wave && task !== undefined && isReadOnly(task);
    if (target >= wave && !mayBeDone && !isTaskOver(history, to)) return target > wave;
  }
  return author !== null && waveInHistory(plan, author) > wave;
}

function isTaskOver(history: History, task: TaskId): boolean {
  const { since } = planInForce(history);
  const dropped = eventsOf(history, 'task-dropped').findLast(({ event }) => event.task === task);
  const retried = eventsOf(history, 'task-retried').findLast(({ event }) => event.task === task);
  const isDropped = dropped !== undefined && dropped.position > Math.max(since, retried?.position ?? 0);
  return isDropped || isMerged(history, task) || isDoneEmpty(history, task);
}
