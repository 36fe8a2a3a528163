import { isDeepStrictEqual } from 'node:util';
import type { TaskId } from '../../domain/base/ids.ts';
import { actRules, openStatuses } from '../../domain/board/acts.ts';
import {
  escalation,
  isMisroute,
  isOfAgent,
  type Post,
  type RecordActor,
  type RecordChange,
  type RecordPlace,
  type RecordTarget,
} from '../../domain/board/board.ts';
import { gradeOf, kindRules } from '../../domain/board/kinds.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { everyTaskOf, type FrozenPlan, isReadOnly } from '../../domain/plan/plan.ts';
import type { PersonWords } from '../../domain/relaunch/fingerprint.ts';
import { derivedIn } from './derived.ts';
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
    /** Set for a copy of a record of the repository's board: tells whether a person posted it there. */
    readonly isPosted?: boolean;
    readonly text: string;
    /** The last answer, if a person gave it. */
    readonly answer?: string | undefined;
  };
type Change = Pick<RecordChange, 'record' | 'act' | 'status' | 'to' | 'route' | 'severity' | 'setAside' | 'answer'>;

/**
 * Proves that no record of the board keeps the wave open. A record counts as settled only if a person asked for that by hand or had
 * decided it, or the agent of the task that it was for did it; only the agent that posted it may cancel it. A rule may give a question
 * to another task of the wave, which then may settle it, and settles nothing itself. `above` is the stream of the repository, where a
 * person may have decided it as well. Returns the first gap.
 */
export function openRecordGap(history: History, wave: number, above: History = []): ProofGap | null {
  const records = recordsIn(history, above);
  const open = [...records.values()].find((record) => {
    // what a person or a rule adds to a record blocks with it
    const root = record.author === null ? records.get(rootOf(record)) : undefined;
    return isBlocking(record) && !isOfLaterWave(history, root ?? record, wave);
  });
  return open === undefined ? null : { gap: 'record-open', record: open.id };
}

/**
 * Returns the record that keeps a landing from being intended; null when there is none. A record of a wave that is open keeps that one
 * from closing, and only a critical one also what is closed from landing.
 */
export function recordAtLanding(history: History, intent: RunEvent, above: History = []): Finding | null {
  if (intent.type !== 'landing-intended') return null;
  const { run, target, wave: only } = creation(history);
  const { plan } = planInForce(history);
  const closed = new Set(eventsOf(history, 'wave-closed').map(({ event }) => event.wave));
  const openWaves = plan.waves.flatMap((_, index) =>
    (only !== null && only !== index) || closed.has(index) ? [] : [index],
  );
  const records = recordsIn(history, above);
  const isOfOpenWave = ({ kind, to, author }: Known): boolean => {
    if (author === null) return openWaves.length > 0;
    const isFor = kindRules[kind].blocks === 'targeted' && to !== 'person' && to !== 'all' && !isTaskOver(history, to);
    const task = derivedIn(history, author)?.event.standsFor[0] ?? author;
    const waves = plan.waves.map((wave) => everyTaskOf(wave).map(({ id }) => id));
    return openWaves.some((index) => waves[index]?.includes(task) || (isFor && waves[index]?.includes(to)));
  };
  const held = [...records.values()].find((record) => {
    if (!isBlocking(record)) return false;
    const root = record.author === null ? records.get(rootOf(record)) : undefined;
    return gradeOf(record.severity) === 'critical' || !isOfOpenWave(root ?? record);
  });
  if (held === undefined) return null;
  const { id, kind } = held;
  return {
    rule: 'landing-question',
    run,
    record: id,
    branch: target.branch,
    ...(kind === 'question' ? {} : { kind }),
  };
}

function recordsIn(history: History, above: History): ReadonlyMap<string, Known> {
  const records = new Map<string, Known>();
  const asked: Asked[] = [];
  /** A person asked for this act by hand. It settles the records that follow it up as well, so the request may name any of them. */
  const isAsked = (record: Known, { act, to }: Change, actor: By): boolean =>
    (actor.via === 'policy' && act === 'answer' && isDecided(records, records.get(rootOf(record)) ?? record)) ||
    (byHand.has(actor.via) &&
      asked.some((one) => {
        const named = records.get(one.record);
        const isSame = one.act === act && one.to === to && isDeepStrictEqual(one.by, actor);
        return isSame && named !== undefined && rootOf(named) === rootOf(record);
      }));
  const add = (
    post: Pick<Post, 'kind' | 'severity' | 'references' | 'text'>,
    { id, to, of, route, status }: RecordPlace,
    author: TaskId | null,
    isPosted?: boolean,
  ) =>
    records.set(id, {
      id,
      kind: post.kind,
      text: post.text,
      to,
      status,
      author,
      isAside: false,
      ...(post.severity === undefined ? {} : { severity: post.severity }),
      ...(post.references === undefined ? {} : { references: post.references }),
      ...(of === undefined ? {} : { of }),
      ...(isPosted === undefined ? {} : { isPosted }),
      ...(route === undefined ? {} : { route }),
    });
  const change = (changes: readonly Change[], actor: RecordActor): void => {
    const [first] = changes;
    const acted = first === undefined ? undefined : records.get(first.record);
    if (
      first === undefined ||
      acted === undefined ||
      // a copy blocks nothing, so it may always be withdrawn
      (acted.isPosted === undefined &&
        !(isOfAgent(actor)
          ? mayAct(acted, first, actor.task)
          : isAsked(acted, first, actor) || (actor.via === 'policy' && isReroute(history, acted, first))))
    )
      return;
    for (const one of changes) {
      const record = records.get(one.record);
      if (record === undefined || rootOf(record) !== rootOf(acted)) continue;
      // cancelling a follow-up settles nothing else, and an agent that cancels leaves what another escalated
      const isOther = isOfAgent(actor) && record.author !== null && record.author !== actor.task;
      if (first.act === 'cancel' && record !== acted && (acted.of !== undefined || isOther)) continue;
      if (!isLawful(record, one)) continue;
      const { route, ...rest } = record;
      records.set(record.id, {
        ...(one.to === undefined ? record : rest),
        status: one.status,
        isAside: one.to === undefined && (record.isAside || one.setAside !== undefined),
        ...(one.answer === undefined ? {} : { answer: isOfAgent(actor) ? undefined : one.answer }),
        ...(one.to === undefined ? {} : { to: one.to }),
        ...(one.route === undefined ? {} : { route: one.route }),
        ...(one.severity === undefined ? {} : { severity: one.severity }),
      });
    }
  };
  for (const { event } of history) {
    asked.push(...requestedOf(event, records));
    if (event.type === 'record-posted')
      add(event, event.place, null, event.repository === undefined ? undefined : isPostedAbove(above, event));
    if (event.type === 'record-answered')
      change([{ record: event.record, act: 'answer', status: 'answered', answer: event.text }], event.by);
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

/** Returns the texts of people for the task: records for it, and answers to its own. */
export const wordsOfPeople = (history: History, task: TaskId): readonly PersonWords[] =>
  [...recordsIn(history, []).values()].flatMap(({ id: record, author, to, text, answer }): readonly PersonWords[] => {
    if (author === null) return to === task || to === 'all' ? [{ record, text }] : [];
    return author === task && answer !== undefined ? [{ record, answer }] : [];
  });

const rootOf = ({ of, id }: Known): string => of ?? id;

type Asked = Pick<Change, 'record' | 'act' | 'to'> & { readonly by: By };

/** The act on a record that a person asks for. */
function requestedOf(event: LedgerEvent, records: ReadonlyMap<string, Known>): readonly Asked[] {
  switch (event.type) {
    case 'requested-answer':
      return [{ record: event.record, act: event.text === null ? 'dismiss' : 'answer', by: event.by }];
    case 'requested-record': {
      const { record, act, to, by } = event;
      return [{ record, act, ...(act === 'reassign' && to !== undefined ? { to } : {}), by }];
    }
    case 'requested-resolve': {
      const named = [...records.values()].find(({ id, kind }) => event.barrier === `${kind}-${id}`);
      return named === undefined ? [] : [{ record: named.id, act: 'dismiss', by: event.by }];
    }
    default:
      return [];
  }
}

/** A person asked for exactly this record in the stream of the repository, and got it there under this number. */
function isPostedAbove(above: History, copy: LedgerEvent & { readonly type: 'record-posted' }): boolean {
  const isSame = ({ kind, text, references = [], by }: Post & { readonly by: By }): boolean =>
    kind === copy.kind &&
    text === copy.text &&
    isDeepStrictEqual(by, copy.by) &&
    (copy.references ?? []).every((one) => references.includes(one));
  return above.some(
    ({ position, event }) =>
      event.type === 'record-posted' &&
      event.place.id === copy.repository &&
      isSame(event) &&
      above.some(
        (one) =>
          one.position < position &&
          one.event.type === 'requested-post' &&
          byHand.has(one.event.by.via) &&
          isSame(one.event),
      ),
  );
}

/** The change is what the act does. A record that is settled with another may also be superseded. */
function isLawful(record: Known, { act, status, to, severity, setAside }: Change): boolean {
  const rule = actRules[act];
  const isSettled = rule.to !== null && !openStatuses.includes(rule.to);
  const isStatus = status === (rule.to ?? record.status) || (isSettled && status === 'superseded');
  const isRest = severity === rule.sets?.severity && setAside === rule.sets?.setAside;
  return isStatus && isRest && (to === undefined || act === 'reassign');
}

/** A person's decision names the same path, component or record as the question, which one task asks another. */
const isDecided = (records: ReadonlyMap<string, Known>, { kind, to, author, references = [] }: Known): boolean =>
  kind === 'question' &&
  author !== null &&
  to !== 'person' &&
  to !== 'all' &&
  [...records.values()].some(
    (one) =>
      one.kind === 'decision' &&
      one.author === null &&
      one.status === 'closed' &&
      one.isPosted !== false &&
      (one.references ?? []).some((named) => !named.startsWith('task:') && references.includes(named)),
  );

function mayAct(record: Known, { act }: Change, task: TaskId): boolean {
  const { agent } = actRules[act];
  return (agent === 'addressee' && record.to === task) || (agent === 'author' && record.author === task);
}

/** An open question of an agent stays open and keeps the same wave open, whichever of its tasks a rule gives it to. */
function isReroute(history: History, record: Known, { act, status, to, severity, setAside }: Change): boolean {
  if (act !== 'reassign' || record.kind !== 'question' || record.author === null) return false;
  if (record.status !== 'open' || status !== 'open' || severity !== undefined || setAside !== undefined) return false;
  if (to === undefined || [to, record.to].some((one) => one === 'person' || one === 'all')) return false;
  const { plan } = planInForce(history);
  return waveOfTarget(plan, to) !== null && waveOfTarget(plan, to) === waveOfTarget(plan, record.to);
}

/** The wave of the task that a record is for; null when the plan has no such task. */
const waveOfTarget = (plan: FrozenPlan, to: RecordTarget): number | null =>
  to === 'person' || to === 'all' || planned(plan, to) === undefined ? null : waveInHistory(plan, to);

function isBlocking(record: Known): boolean {
  const grade = gradeOf(record.severity);
  if (!openStatuses.includes(record.status) || record.isAside || grade === 'advisory') return false;
  const { blocks: rule } = kindRules[record.kind];
  const isFor = record.to !== 'person' && record.to !== 'all';
  return (
    rule === 'always' ||
    (rule !== 'never' && grade === 'critical') ||
    (rule === 'targeted' && (isFor || isMisroute(record.route)))
  );
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
