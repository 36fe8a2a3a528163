import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** What each kind blocks while it is open, written down a second time. The kinds that are not here only tell something. */
const blocking: Readonly<Record<string, 'critical' | 'targeted' | 'always'>> = {
  question: 'targeted',
  request: 'targeted',
  blocker: 'critical',
  contradiction: 'critical',
  'human-escalation': 'always',
};
const ofAddressee = ['acknowledge', 'start', 'answer', 'resolve', 'escalate'];
const isOver = (status: string): boolean => !['open', 'acknowledged', 'in-progress'].includes(status);

type Item = {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly author: string | null;
  readonly root: string;
  readonly isMisrouted: boolean;
  readonly about: readonly string[];
  status: string;
  severity: string;
  isAside: boolean;
};

/**
 * I3: nothing of a wave is merged, and no wave closes, while a record keeps it open. Nobody settles a record or takes it out of the way
 * who may not: people by their own request, the agent of the task that it is for, and the agent that posted it by cancelling it.
 */
export function checkRecords(history: readonly Stored[]): readonly Violation[] {
  const found: Violation[] = [];
  const items = new Map<string, Item>();
  const asked = new Set<string>();
  const decided = new Set<string>();
  /** How often each task was started again for others, and those whose rework is to follow. */
  const helps = new Map<string, number>();
  const helped = new Set<string>();
  /** Tasks that were merged or dropped, or that have nothing to merge. */
  const over = new Set<string>();
  const only = all(history, 'run-created')[0]?.event.wave ?? null;
  for (const { seq, event } of history) {
    const say = (what: string): number => found.push({ invariant: 'I3', seq, what });
    const root = (record: string): string => items.get(record)?.root ?? record;
    const add = (
      post: { readonly kind: string; readonly severity?: string; readonly references?: readonly string[] },
      place: {
        readonly id: string;
        readonly to: string;
        readonly status: string;
        readonly of?: string;
        readonly route?: object;
      },
      author: string | null,
    ): void => {
      const { id, to, status, of = id } = place;
      if (items.has(id)) say(`record ${id} is posted twice`);
      const severity = post.severity ?? 'normal';
      const isMisrouted = place.route !== undefined;
      items.set(id, {
        id,
        kind: post.kind,
        to,
        author,
        root: of,
        isMisrouted,
        about: post.references ?? [],
        status,
        severity,
        isAside: false,
      });
    };
    const change = (one: {
      readonly record: string;
      readonly status: string;
      readonly to?: string;
      readonly severity?: string;
      readonly setAside?: string;
    }): void => {
      const item = items.get(one.record);
      if (item === undefined) return void say(`record ${one.record} changes, and nobody posted it`);
      if (isOver(item.status)) say(`record ${one.record} changes after it was settled`);
      items.set(item.id, {
        ...item,
        status: one.status,
        to: one.to ?? item.to,
        severity: one.severity ?? item.severity,
        isAside: item.isAside || one.setAside !== undefined,
      });
    };
    const mustBeAsked = (record: string, who: string, via: string): void => {
      const named = items.get(record);
      const isDecided =
        via === 'policy' &&
        named?.kind === 'question' &&
        [...items.values()].some(
          ({ kind, author, about }) =>
            kind === 'decision' &&
            author === null &&
            about.some((one) => !one.startsWith('task:') && named.about.includes(one)),
        );
      if (isDecided) {
        decided.add(root(record));
        return;
      }
      // what follows up a question is settled with it
      if (via === 'policy' && decided.has(root(record))) return;
      if (!asked.has(`${root(record)} ${who}`)) say(`record ${record} is changed for ${who}, who did not ask for it`);
    };
    switch (event.type) {
      case 'requested-answer':
      case 'requested-record':
        asked.add(`${root(event.record)} ${event.by.who}`);
        break;
      case 'requested-resolve':
        asked.add(`${root(event.barrier.replace(/^.*-/, ''))} ${event.by.who}`);
        break;
      case 'record-posted':
        add(event, event.place, null);
        break;
      case 'record-answered':
      case 'record-closed':
        mustBeAsked(event.record, event.by.who, event.by.via);
        change({ record: event.record, status: event.type === 'record-answered' ? 'answered' : 'closed' });
        break;
      case 'record-changed':
        mustBeAsked(event.record, event.by.who, event.by.via);
        change(event);
        break;
      case 'attempt-noted': {
        const { note, place, task, changes = [], refused } = event;
        const [first] = changes;
        if (refused !== undefined && (first !== undefined || place !== undefined))
          say('a refused note changes the board');
        if (first !== undefined) {
          const item = items.get(first.record);
          const may =
            first.act === 'cancel' ? item?.author === task : ofAddressee.includes(first.act) && item?.to === task;
          if (!may) say(`${task} does ${first.act} with record ${first.record}, which is not its own to settle`);
          for (const one of changes) {
            if (root(one.record) !== root(first.record)) say(`record ${one.record} is settled with another`);
            if (
              one.setAside !== undefined ||
              one.severity !== undefined ||
              one.to !== undefined ||
              one.status === 'closed'
            )
              say(`${task} takes record ${one.record} out of the way`);
            change(one);
          }
        }
        if (place !== undefined && note.note === 'posted') add(note, place, task);
        if (place !== undefined && note.note === 'acted') add({ kind: 'human-escalation' }, place, task);
        break;
      }
      case 'helper-assigned': {
        helps.set(event.task, (helps.get(event.task) ?? 0) + 1);
        if ((helps.get(event.task) ?? 0) > 2) say(`${event.task} is started again a third time for others`);
        for (const record of event.records) {
          const item = items.get(record);
          if (item?.to !== event.task || !blocks(item)) say(`${event.task} is started again for record ${record}`);
        }
        helped.add(event.task);
        break;
      }
      case 'task-reworked':
        if (event.by.via === 'policy' && !helped.delete(event.task))
          say(`nobody asked for the rework of ${event.task}`);
        break;
      case 'task-dropped':
        over.add(event.task);
        break;
      case 'task-retried':
      case 'attempt-intended':
        over.delete(event.task);
        break;
      case 'attempt-settled':
        if (event.decision.becomes === 'done') over.add(event.task);
        break;
      case 'merged':
        for (const { task } of event.tasks) over.add(task);
        break;
      case 'merge-intended':
      case 'wave-closed': {
        const { plan } = versionAt(history, seq);
        const waveOf = (task: string): number =>
          plan.waves.findIndex(({ tasks, closure = [] }) => [...tasks, ...closure].some(({ id }) => id === task));
        /** A question or a request is of the wave of its task, as long as that can act; anything else of its author's. */
        const isLater = ({ kind, to, author }: Item): boolean => {
          if (only !== null) return false;
          const isTask = plan.waves.some(({ tasks }) => tasks.some(({ id }) => id === to)) && !over.has(to);
          if (blocking[kind] === 'targeted' && isTask && waveOf(to) >= event.wave) return waveOf(to) > event.wave;
          return author !== null && waveOf(author) > event.wave;
        };
        for (const item of items.values())
          if (blocks(item) && !isLater(item)) say(`${event.type}, but ${item.kind} ${item.id} keeps the wave open`);
        break;
      }
      default:
        break;
    }
  }
  return found;
}

function blocks({ kind, to, status, severity, isAside, isMisrouted }: Item): boolean {
  if (isOver(status) || isAside || severity === 'advisory' || severity === 'low') return false;
  const rule = blocking[kind];
  if (rule === undefined) return false;
  return (
    rule === 'always' ||
    severity === 'critical' ||
    (rule === 'targeted' && (isMisrouted || !['person', 'all'].includes(to)))
  );
}
