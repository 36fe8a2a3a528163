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
/** Routes of records that no task could get. */
const misroutes = ['no-task', 'task-over', 'no-capability', 'no-owner'];
const ofAddressee = ['acknowledge', 'start', 'answer', 'resolve', 'escalate'];
const isOver = (status: string): boolean => !['open', 'acknowledged', 'in-progress'].includes(status);

type Item = {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly author: string | null;
  readonly root: string;
  isMisrouted: boolean;
  /** How often the rule gave it to a task since it was posted, or since a person gave it to one. */
  readonly rerouted: number;
  /** The clocks that people were told about since it is for its target. */
  readonly told: readonly string[];
  readonly about: readonly string[];
  /** It was taken over from the board of the repository, where it is settled. */
  readonly isCopy: boolean;
  status: string;
  severity: string;
  isAside: boolean;
};

/**
 * I3: nothing of a wave is merged, and no wave closes, while a record keeps it open. Nobody settles a record or takes it out of the way
 * who may not: people by their own request, the agent of the task that it is for, and the agent that posted it by cancelling it.
 */
export function checkRecords(history: readonly Stored[], repository: readonly Stored[] = []): readonly Violation[] {
  const found: Violation[] = [];
  const items = new Map<string, Item>();
  const asked = new Set<string>();
  const decided = new Set<string>();
  /** How often each task was started again for others, and those whose rework is to follow. */
  const helps = new Map<string, number>();
  const helped = new Set<string>();
  /** Tasks that were merged or dropped, or that have nothing to merge. */
  const over = new Set<string>();
  const closed = new Set<number>();
  /** The waves of tasks that Tidegate made. */
  const derived = new Map<string, number>();
  const only = all(history, 'run-created')[0]?.event.wave ?? null;
  const taken = new Set<string>();
  /** A run takes over each record of the repository once, as a person posted it there, and it blocks nothing. */
  const checkCopy = (id: string, text: string, status: string, seq: number, say: (what: string) => number): void => {
    if (taken.has(id)) say(`record ${id} of the repository is taken over twice`);
    taken.add(id);
    if (status !== 'closed') say(`record ${id} of the repository waits for somebody in the run`);
    const before = repository.filter((one) => one.seq < seq);
    const isThere = all(before, 'record-posted').some(({ event }) => event.place.id === id && event.text === text);
    const isAsked = all(before, 'requested-post').some(({ event }) => event.text === text);
    if (!isThere || !isAsked) say(`nobody posted record ${id} of the repository`);
  };
  for (const { seq, event } of history) {
    const say = (what: string): number => found.push({ invariant: 'I3', seq, what });
    const root = (record: string): string => items.get(record)?.root ?? record;
    const add = (
      post: {
        readonly kind: string;
        readonly severity?: string;
        readonly references?: readonly string[];
        readonly repository?: string;
      },
      place: {
        readonly id: string;
        readonly to: string;
        readonly status: string;
        readonly of?: string;
        readonly route?: { readonly reason: string };
      },
      author: string | null,
    ): void => {
      const { id, to, status, of = id } = place;
      if (items.has(id)) say(`record ${id} is posted twice`);
      const severity = post.severity ?? 'normal';
      const isMisrouted = misroutes.includes(place.route?.reason ?? '');
      items.set(id, {
        id,
        kind: post.kind,
        to,
        author,
        root: of,
        isMisrouted,
        rerouted: 0,
        told: [],
        about: post.references ?? [],
        isCopy: post.repository !== undefined,
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
      readonly route?: object;
    }): void => {
      const item = items.get(one.record);
      if (item === undefined) return void say(`record ${one.record} changes, and nobody posted it`);
      if (isOver(item.status) && !(item.isCopy && item.status === 'closed'))
        say(`record ${one.record} changes after it was settled`);
      items.set(item.id, {
        ...item,
        status: one.status,
        to: one.to ?? item.to,
        rerouted: one.to === undefined ? item.rerouted : one.route === undefined ? 0 : item.rerouted + 1,
        told: one.to === undefined ? item.told : [],
        severity: one.severity ?? item.severity,
        // who gets it anew gets it as it was asked
        isMisrouted: item.isMisrouted && one.to === undefined,
        isAside: one.to === undefined && (item.isAside || one.setAside !== undefined),
      });
    };
    const mustBeAsked = (record: string, act: string, who: string, via: string): void => {
      const named = items.get(record);
      if (named?.isCopy === true) return;
      const isDecided =
        via === 'policy' &&
        act === 'answer' &&
        named?.kind === 'question' &&
        named.author !== null &&
        !['person', 'all'].includes(named.to) &&
        [...items.values()].some(
          ({ kind, author, about, status }) =>
            kind === 'decision' &&
            status === 'closed' &&
            author === null &&
            about.some((one) => !one.startsWith('task:') && named.about.includes(one)),
        );
      if (isDecided) {
        decided.add(root(record));
        return;
      }
      // what follows up a question is settled with it
      if (via === 'policy' && decided.has(root(record))) return;
      if (!asked.has(`${root(record)} ${act} ${who}`))
        say(`record ${record} is changed for ${who}, who did not ask for it: ${act}`);
    };
    switch (event.type) {
      case 'requested-answer':
        asked.add(`${root(event.record)} ${event.text === null ? 'dismiss' : 'answer'} ${event.by.who}`);
        break;
      case 'requested-record':
        asked.add(`${root(event.record)} ${event.act} ${event.by.who}`);
        break;
      case 'requested-resolve': {
        const item = items.get(event.barrier.replace(/^.*-/, ''));
        if (item !== undefined && event.barrier === `${item.kind}-${item.id}`)
          asked.add(`${item.root} dismiss ${event.by.who}`);
        break;
      }
      case 'record-posted': {
        if (event.repository !== undefined) checkCopy(event.repository, event.text, event.place.status, seq, say);
        const root = items.get(event.place.of ?? '');
        if (event.by.via === 'policy' && event.kind === 'human-escalation') {
          if (root?.kind !== 'question' || root.author === null || root.status !== 'open' || !blocks(root))
            say(`record ${event.place.id} escalates what is no open question of an agent`);
          if (root?.rerouted !== 1) say(`record ${event.place.id} escalates a question that was not asked twice`);
          const isTwice = [...items.values()].some((one) => one.root === root?.id && one.id !== root.id && blocks(one));
          if (isTwice) say(`record ${event.place.id} escalates a question that is escalated`);
        }
        add(event, event.place, null);
        break;
      }
      case 'records-overdue':
        for (const { record, clock, due } of event.records) {
          const item = items.get(record);
          if (item === undefined || isOver(item.status) || item.isAside) say(`record ${record} is not overdue`);
          if (due > event.at) say(`record ${record} is not overdue yet`);
          if (item?.told.includes(clock)) say(`people are told twice that record ${record} is overdue (${clock})`);
          if (item !== undefined) items.set(record, { ...item, told: [...item.told, clock] });
        }
        break;
      case 'record-answered':
      case 'record-closed':
        mustBeAsked(event.record, event.type === 'record-answered' ? 'answer' : 'dismiss', event.by.who, event.by.via);
        change({ record: event.record, status: event.type === 'record-answered' ? 'answered' : 'closed' });
        break;
      case 'record-changed': {
        const item = items.get(event.record);
        if (event.by.via === 'policy' && event.act === 'reassign') {
          const { plan } = versionAt(history, seq);
          const waveOf = (task: string): number =>
            plan.waves.findIndex(({ tasks }) => tasks.some(({ id }) => id === task));
          const isOpen = item?.kind === 'question' && item.author !== null && item.status === 'open';
          if (!isOpen || event.status !== 'open' || event.severity !== undefined || event.setAside !== undefined)
            say(`a rule takes record ${event.record} out of the way`);
          if (event.to === undefined || waveOf(event.to) < 0 || waveOf(event.to) !== waveOf(item?.to ?? ''))
            say(`a rule gives record ${event.record} to another wave`);
          if (event.to !== item?.to && event.to === item?.author)
            say(`a rule gives record ${event.record} to its author`);
          if (item !== undefined && item.rerouted > 0) say(`record ${event.record} is given to a third task`);
        } else mustBeAsked(event.record, event.act, event.by.who, event.by.via);
        change(event);
        break;
      }
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
            if (first.act === 'cancel' && one.record !== first.record && item?.root !== first.record)
              say(`record ${one.record} is settled by cancelling what follows it up`);
            const by = items.get(one.record)?.author;
            if (first.act === 'cancel' && by !== null && by !== task)
              say(`${task} cancels what ${by} asks of a person: record ${one.record}`);
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
      case 'orchestrator-noted': {
        const { note, place, refused } = event;
        if (place === undefined) break;
        const isGuidance = note.note === 'posted' && note.kind === 'orchestrator-guidance';
        if (!isGuidance || refused !== undefined) say('the orchestrator adds something other than guidance');
        if (place.status !== 'closed' || place.of !== undefined || place.route !== undefined || place.to === 'person')
          say('guidance waits for somebody, follows something up or is routed');
        if ('changes' in event) say('the orchestrator changes a record');
        if (note.note === 'posted') add({ kind: note.kind }, { ...place, status: 'closed' }, 'orchestrator');
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
      case 'task-derived':
        derived.set(event.task, event.wave);
        break;
      case 'landing-intended': {
        const { plan } = versionAt(history, seq);
        const open = plan.waves.flatMap((_, index) => ((only ?? index) === index && !closed.has(index) ? [index] : []));
        const isIn = (task: string, wave: number): boolean =>
          derived.get(task) === wave ||
          [...(plan.waves[wave]?.tasks ?? []), ...(plan.waves[wave]?.closure ?? [])].some(({ id }) => id === task);
        /** A record of an open wave is no matter of those that are closed. */
        const isOfOpen = ({ kind, to, author }: Item): boolean =>
          open.some(
            (wave) =>
              author === null ||
              isIn(author, wave) ||
              (blocking[kind] === 'targeted' && !over.has(to) && isIn(to, wave)),
          );
        for (const item of items.values()) {
          const about = item.author === null ? (items.get(item.root) ?? item) : item;
          if (blocks(item) && (item.severity === 'critical' || !isOfOpen(about)))
            say(`landing-intended, but ${item.kind} ${item.id} is open`);
        }
        break;
      }
      case 'merge-intended':
      case 'wave-closed': {
        if (event.type === 'wave-closed') closed.add(event.wave);
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
          if (blocks(item) && !isLater(item.author === null ? (items.get(item.root) ?? item) : item))
            say(`${event.type}, but ${item.kind} ${item.id} keeps the wave open`);
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
