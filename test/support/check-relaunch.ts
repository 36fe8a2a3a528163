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
  const now = attempt === undefined ? null : printOf(history, plan, task, attempt.seq);
  return [
    ...(attempt?.event.fingerprint === was ? [] : [`${task} is reused for another fingerprint than it started with`]),
    ...(was === is && is === now ? [] : [`${task} is reused for something that it was not made from`]),
    ...(left !== null && 'commit' in left && left.commit === snapshot ? [] : [`another snapshot of ${task} is reused`]),
  ];
}

/** The fingerprint of a task, written down a second time. */
function printOf(history: readonly Stored[], plan: FrozenPlan, task: string, seq: number): string | null {
  const base = all(history, 'task-base-made').findLast((one) => one.seq < seq && one.event.task === task)?.event.tree;
  const planned = plan.waves.flatMap((wave) => wave.tasks).find((one) => one.id === task);
  if (planned === undefined || base === undefined) return null;
  const { forbid, focus, block } = plan;
  return digest('sha256', sortedJson({ task: planned, forbid, focus, block, base }), 'hex');
}

function checkPrints(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'attempt-intended').flatMap(({ seq, event: { task, attempt, fingerprint } }) =>
    fingerprint === undefined || fingerprint === printOf(history, versionAt(history, seq).plan, task, seq)
      ? []
      : [{ invariant: 'I2', seq, what: `${attempt} has another fingerprint than its plan and base` } as const],
  );
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
