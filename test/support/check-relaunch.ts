import { hash as digest } from 'node:crypto';
import type { RelaunchOrder, ResultReuse } from '../../src/domain/ledger/relaunch-events.ts';
import type { FrozenPlan } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';
import { sortedJson } from './sorted-json.ts';

/** I2, I3: what a person selected runs again, once and nothing else; a result counts again only for what it was made from. */
export function checkRelaunched(history: readonly Stored[]): readonly Violation[] {
  return [
    ...all(history, 'wave-relaunched').flatMap((one) => [...checkAsked(history, one), ...checkEffect(history, one)]),
    ...checkPrints(history),
    ...checkContinued(history),
    ...checkNeeds(history),
  ];
}

type Relaunched = ReturnType<typeof all<'wave-relaunched'>>[number];

/** The request is answered in the same append, so it is applied exactly once. */
function checkAsked(history: readonly Stored[], { seq, event }: Relaunched): readonly Violation[] {
  const answer = history.find((one) => one.seq > seq)?.event;
  const request =
    answer?.type === 'request-accepted' ? history.find((one) => one.seq === answer.request)?.event : undefined;
  const chosen = ({ only = [], from, clear = [] }: RelaunchOrder): string => sortedJson({ only, from, clear });
  const isThis =
    request?.type === 'requested-relaunch' &&
    request.by.who === event.by.who &&
    chosen(request) === chosen(event) &&
    event.by.via !== 'policy';
  return isThis ? [] : [{ invariant: 'I2', seq, what: 'a selection that nobody asked for, or that is not consumed' }];
}

function checkEffect(history: readonly Stored[], { seq, event }: Relaunched): readonly Violation[] {
  const before = history.filter((one) => one.seq < seq);
  const { plan } = versionAt(history, seq);
  const found: Violation[] = [];
  const say = (what: string): number => found.push({ invariant: 'I3', seq, what });
  const { only = [], clear = [], from } = event;
  const named = new Set<string>([...only, ...clear]);
  const tasks = plan.waves.flatMap((wave) => wave.tasks);
  const builds = (id: string): boolean =>
    (tasks.find((one) => one.id === id)?.needs ?? []).some((need) => starts.has(need) || builds(need));
  const starts = new Set<string>(event.starts.map(({ task }) => task));
  for (const { task } of event.starts)
    if (!named.has(task) && from !== 'implementation' && !builds(task)) say(`${task} starts again, unselected`);
  for (const task of [...event.starts, ...event.reuses].map((one) => one.task)) {
    if (all(before, 'merged').some((one) => one.event.tasks.some((merged) => merged.task === task)))
      say(`${task} is merged and starts again`);
  }
  for (const task of [...starts, ...event.roles, ...event.reuses.map((one) => one.task)]) {
    const last = all(before, 'attempt-intended').findLast((one) => one.event.task === task)?.event;
    if (last !== undefined && !all(before, 'attempt-ended').some((one) => one.event.attempt === last.attempt))
      say(`${task} is selected while it runs`);
  }
  const order = ['eval', 'security', 'integration', 'docs', 'infra', 'deploy', 'qa'];
  const first = from === undefined ? order.length : from === 'implementation' ? 0 : order.indexOf(from);
  for (const id of event.roles) {
    const role = plan.waves[event.wave]?.closure?.find((one) => one.id === id);
    if (!named.has(id) && order.indexOf(role?.closes ?? '') < first) say(`${id} runs again, unselected`);
  }
  for (const reuse of event.reuses) for (const what of misused(before, plan, reuse)) say(what);
  return found;
}

/** What a reuse lacks: the fingerprint of the attempt, an equal one of now, and the snapshot of now. */
export function misused(history: readonly Stored[], plan: FrozenPlan, reuse: ResultReuse): readonly string[] {
  const { task, was, is, snapshot } = reuse;
  const attempt = all(history, 'attempt-intended').findLast(({ event }) => event.task === task);
  const last = history.findLast(
    ({ event }) =>
      ['attempt-ended', 'paths-dropped', 'task-edited'].includes(event.type) && 'task' in event && event.task === task,
  )?.event;
  const left = last !== undefined && 'snapshot' in last && typeof last.snapshot === 'object' ? last.snapshot : null;
  const now = attempt === undefined ? null : printOf(history, plan, task, attempt.seq, was.startsWith('1:'));
  return [
    ...(attempt?.event.fingerprint === was ? [] : [`${task} is reused for another fingerprint than it started with`]),
    ...(was === is && is === now ? [] : [`${task} is reused for something that it was not made from`]),
    ...(left !== null && 'commit' in left && left.commit === snapshot ? [] : [`another snapshot of ${task} is reused`]),
  ];
}

/** The fingerprint of a task by everything in this history, written down a second time. `made`: its base was made before this record. */
function printOf(
  history: readonly Stored[],
  plan: FrozenPlan,
  task: string,
  made: number,
  hasWords: boolean,
): string | null {
  const base = all(history, 'task-base-made').findLast((one) => one.seq < made && one.event.task === task)?.event.tree;
  const planned = plan.waves.flatMap((wave) => wave.tasks).find((one) => one.id === task);
  if (planned === undefined || base === undefined) return null;
  const { forbid, focus, block } = plan;
  const parts = { task: planned, forbid, focus, block, base };
  return hasWords
    ? `1:${digest('sha256', sortedJson({ ...parts, words: wordsTo(history, task) }), 'hex')}`
    : digest('sha256', sortedJson(parts), 'hex');
}

/** What people wrote to a task: their records for it or for all, and their answers to its own. */
function wordsTo(history: readonly Stored[], task: string): readonly object[] {
  const records = new Map<string, { author: string | null; to: string; text: string; answer?: string | undefined }>();
  const change = (record: string, to: string | undefined, answer: string | undefined, isAgent: boolean): void => {
    const known = records.get(record);
    if (known === undefined) return;
    if (to !== undefined) known.to = to;
    if (answer !== undefined) known.answer = isAgent ? undefined : answer;
  };
  for (const { event } of history) {
    if (event.type === 'record-posted')
      records.set(event.place.id, { author: null, to: event.place.to, text: event.text });
    if (event.type === 'record-answered') change(event.record, undefined, event.text, false);
    if (event.type === 'record-changed') change(event.record, event.to, event.answer, false);
    if (event.type !== 'attempt-noted') continue;
    for (const one of event.changes ?? []) change(one.record, one.to, one.answer, true);
    const { note, place } = event;
    if (place !== undefined && (note.note === 'posted' || note.note === 'acted'))
      records.set(place.id, { author: event.task, to: place.to, text: note.text ?? '' });
  }
  return [...records].flatMap(([record, { author, to, text, answer }]): readonly object[] => {
    if (author === null) return to === task || to === 'all' ? [{ record, text }] : [];
    return author === task && answer !== undefined ? [{ record, answer }] : [];
  });
}

function checkPrints(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'attempt-intended').flatMap(({ seq, event: { task, attempt, fingerprint } }) => {
    const before = history.filter((one) => one.seq < seq);
    const { plan } = versionAt(history, seq);
    return fingerprint === undefined || fingerprint === printOf(before, plan, task, seq, fingerprint.startsWith('1:'))
      ? []
      : [{ invariant: 'I2', seq, what: `${attempt} has another fingerprint than its plan and base` } as const];
  });
}

/** What is merged was made from the work of its needs that is merged with it, or was before. Repaired work is checked on its own. */
function checkNeeds(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'merge-intended').flatMap(({ seq, event: { wave, round } }) => {
    const opened = all(history, 'round-opened').findLast(
      (one) => one.seq < seq && one.event.wave === wave && one.event.round === round,
    );
    const before = history.filter((one) => one.seq < (opened?.seq ?? 0));
    const repaired = new Set<string>(all(history, 'task-derived').flatMap(({ event }) => event.standsFor));
    const planned = new Set<string>(
      versionAt(history, seq).plan.waves.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
    );
    const treeOf = (task: string): unknown => {
      const left = before.findLast(
        ({ event }) =>
          ['attempt-ended', 'paths-dropped', 'task-edited'].includes(event.type) &&
          'task' in event &&
          event.task === task,
      )?.event;
      return left !== undefined &&
        'snapshot' in left &&
        typeof left.snapshot === 'object' &&
        left.snapshot !== null &&
        'tree' in left.snapshot
        ? left.snapshot.tree
        : null;
    };
    return (opened?.event.tasks ?? []).flatMap(({ task, by }) => {
      const start = all(before, 'attempt-intended').findLast((one) => one.event.task === task)?.seq ?? 0;
      const base = all(before, 'task-base-made').findLast((one) => one.seq < start && one.event.task === task);
      const old = (base?.event.of ?? []).filter(
        (one) =>
          one.tree !== undefined && planned.has(one.task) && !repaired.has(one.task) && treeOf(one.task) !== one.tree,
      );
      return by !== undefined
        ? []
        : old.map(
            (need) => ({ invariant: 'I3', seq, what: `${task} is merged on other work of ${need.task}` }) as const,
          );
    });
  });
}

/** A failed task continues at no cost only because another task has just finished. */
function checkContinued(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'task-continued').flatMap(({ seq, event: { task, settled } }) => {
    const settlements = all(history, 'attempt-settled').filter((one) => one.seq < seq);
    const own = settlements.findLast((one) => one.event.task === task)?.event.decision.becomes;
    const last = settlements.at(-1)?.event;
    const isJust = last?.task === settled && (last.decision.becomes === 'ready' || last.decision.becomes === 'done');
    return own === 'failed' && isJust && settled !== task
      ? []
      : [{ invariant: 'I2', seq, what: `${task} continues at no cost, and nothing has finished` } as const];
  });
}

/** The last selection after which an earlier result of the task, or an earlier report of the role, no longer counts. */
export const lastRelaunch = (
  history: readonly Stored[],
  task: string,
): { readonly starts: number; readonly judged: number } => {
  const last = (has: (event: Relaunched['event']) => boolean): number =>
    all(history, 'wave-relaunched').findLast(({ event }) => has(event))?.seq ?? 0;
  const starts = last(
    ({ starts: again, roles }) => roles.some((id) => id === task) || again.some((one) => one.task === task),
  );
  return {
    starts,
    judged: Math.max(
      starts,
      last(({ reuses }) => reuses.some((one) => one.task === task)),
    ),
  };
};
