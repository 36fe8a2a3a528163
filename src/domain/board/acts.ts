import type { TaskId } from '../base/ids.ts';
import { err, ok, present, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { plannedById, type WavesOfPlan } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { isResolved } from '../run/task.ts';
import { policy } from '../settings/policy.ts';
import {
  type BoardRecord,
  isOfAgent,
  type RecordActor,
  type RecordChange,
  type RecordStatus,
  type RecordTarget,
  recordById,
  recordsOf,
} from './board.ts';

/** The things that agents and people do with a record that waits. */
export const recordActs = [
  'acknowledge',
  'start',
  'answer',
  'resolve',
  'escalate',
  'cancel',
  'dismiss',
  'reassign',
  'defer',
  'advisory',
  'stale',
] as const;
export type RecordAct = (typeof recordActs)[number];

export type ActRule = {
  /** The agent that may do it: that of the task which the record is for, or the one that posted it. A person may do all. */
  readonly agent: 'addressee' | 'author' | null;
  readonly from: readonly RecordStatus[];
  /** Null when the status stays. */
  readonly to: RecordStatus | null;
  /** True when it needs words: an answer or a reason. */
  readonly words: boolean;
  readonly sets?: Pick<RecordChange, 'severity' | 'setAside'>;
};

/** Statuses of records that wait for somebody. */
export const openStatuses: readonly RecordStatus[] = ['open', 'acknowledged', 'in-progress'];

/**
 * Every transition of a record, by act. What takes a record out of the way without doing what it asks for is for people only:
 * otherwise an agent could talk itself past a barrier.
 */
export const actRules: Readonly<Record<RecordAct, ActRule>> = {
  acknowledge: { agent: 'addressee', from: ['open'], to: 'acknowledged', words: false },
  start: { agent: 'addressee', from: ['open', 'acknowledged'], to: 'in-progress', words: false },
  answer: { agent: 'addressee', from: openStatuses, to: 'answered', words: true },
  resolve: { agent: 'addressee', from: openStatuses, to: 'resolved', words: true },
  escalate: { agent: 'addressee', from: openStatuses, to: null, words: true },
  cancel: { agent: 'author', from: openStatuses, to: 'cancelled', words: false },
  dismiss: { agent: null, from: openStatuses, to: 'closed', words: true },
  reassign: { agent: null, from: openStatuses, to: 'open', words: false },
  defer: { agent: null, from: openStatuses, to: null, words: true, sets: { setAside: 'deferred' } },
  advisory: { agent: null, from: openStatuses, to: null, words: true, sets: { severity: 'advisory' } },
  stale: { agent: null, from: openStatuses, to: null, words: true, sets: { setAside: 'stale' } },
};

/** Acts that an agent may do in some case. */
export const agentActs: readonly RecordAct[] = recordActs.filter((act) => actRules[act].agent !== null);

export const isOpenRecord = ({ status }: Pick<BoardRecord, 'status'>): boolean => openStatuses.includes(status);

export type ActOrder = {
  readonly record: string;
  readonly act: RecordAct;
  /** Null when a person closes it without words. */
  readonly text?: string | null;
  readonly to?: RecordTarget;
};
type Boards = Pick<RunState, 'run' | 'board' | 'tasks'> & { readonly plan: WavesOfPlan };
/** Returns the record with an id, if the caller knows it. */
type FindRecord = (id: string) => BoardRecord | undefined;

/**
 * Decides an act on a record. Returns the change of the record, and of the records that are settled with it. An agent that may not
 * do it gets the reason, and nothing changes.
 */
export function decideAct(
  state: Boards,
  order: ActOrder,
  actor: RecordActor,
  at: string | undefined,
): Result<readonly RecordChange[], Finding> {
  const find: FindRecord = (id) => recordById(state, id);
  const record = find(order.record);
  if (record === undefined) return err({ rule: 'no-such-record', run: state.run, record: order.record });
  const fault =
    (isOfAgent(actor) ? faultOfAgent(find, record, order.act, actor.task) : null) ??
    faultOfAct(record, order) ??
    (order.act === 'reassign' ? faultOfTarget(state, order.to) : null);
  if (fault !== null) return err(fault);
  const { act, to } = order;
  const rule = actRules[act];
  const words = order.text === null || order.text?.trim() === '' ? undefined : order.text;
  const change: RecordChange = {
    record: record.id,
    act,
    status: rule.to ?? record.status,
    ...rule.sets,
    ...(act === 'answer' ? present({ answer: words }) : present({ reason: act === 'escalate' ? undefined : words })),
    ...present({ at, to: act === 'reassign' ? to : undefined }),
  };
  return ok([change, ...chainChanges(state, record, change, actor)]);
}

/** Says why an agent may not do this with a record that it knows; null when it may. */
export function faultOfAgentAct(find: FindRecord, order: ActOrder, task: TaskId): Finding | null {
  const record = find(order.record);
  if (record === undefined) return { rule: 'record-unknown', record: order.record };
  return faultOfAgent(find, record, order.act, task) ?? faultOfAct(record, order);
}

function faultOfAct({ id: record, status }: BoardRecord, { act, text }: ActOrder): Finding | null {
  const rule = actRules[act];
  if (!openStatuses.includes(status)) return { rule: 'record-settled', record, status };
  if (!rule.from.includes(status)) return { rule: 'record-status', record, act, status };
  if (rule.words && text === undefined) return { rule: 'record-reason', act };
  if (rule.words && text?.trim() === '') return { rule: 'post-empty' };
  const limit = policy.recordCharacters;
  return (text?.length ?? 0) > limit ? { rule: 'post-long', limit } : null;
}

function faultOfAgent(find: FindRecord, record: BoardRecord, act: RecordAct, task: TaskId): Finding | null {
  const { agent } = actRules[act];
  const { id, target, from } = record;
  if (agent === null) return { rule: 'record-for-people', record: id, act };
  if (agent === 'author')
    return isOfAgent(from) && from.task === task ? null : { rule: 'record-of-other', record: id, act };
  if (target !== task) return { rule: 'record-for-other', record: id, act, to: target };
  const waits = (record.dependsOn ?? []).filter((other) => openStatuses.includes(find(other)?.status ?? 'closed'));
  const settles = act === 'answer' || act === 'resolve';
  return settles && waits.length > 0 ? { rule: 'record-depends', record: id, records: waits } : null;
}

function faultOfTarget(state: Boards, to: RecordTarget | undefined): Finding | null {
  if (to === undefined || to === 'all') return { rule: 'record-target' };
  if (to === 'person') return null;
  if (state.tasks[to] === undefined) return { rule: 'no-such-task', run: state.run, task: to };
  return mayReceive(state, to) ? null : { rule: 'record-task-over', task: to };
}

/** Tells whether an agent of this task may still act on a record. A closure role only judges. */
export function mayReceive({ tasks, plan }: Pick<Boards, 'tasks' | 'plan'>, id: TaskId): boolean {
  const task = tasks[id];
  const planned = plannedById(plan, id);
  return task !== undefined && !isResolved(task) && planned !== undefined && planned.closes === undefined;
}

/**
 * The records that follow up the same record, and that record, are settled together. Cancelling a follow-up cancels that only: its
 * author need not be the author of the record behind it. An agent that cancels its own record leaves what another task escalated to the
 * person.
 */
function chainChanges(
  state: Boards,
  record: BoardRecord,
  change: RecordChange,
  actor: RecordActor,
): readonly RecordChange[] {
  const { at, act, status, answer, reason } = change;
  if (openStatuses.includes(status) || (act === 'cancel' && record.of !== undefined)) return [];
  const root = record.of ?? record.id;
  const isOfOther = ({ from }: BoardRecord): boolean =>
    act === 'cancel' && isOfAgent(actor) && isOfAgent(from) && from.task !== actor.task;
  return recordsOf(state)
    .filter((other) => other.id !== record.id && isOpenRecord(other) && (other.id === root || other.of === root))
    .filter((other) => !isOfOther(other))
    .map((other) =>
      other.id === root && (act === 'answer' || act === 'resolve' || act === 'dismiss')
        ? { record: other.id, act, status, ...present({ at, answer, reason }) }
        : { record: other.id, act, status: 'superseded', ...present({ at }) },
    );
}
