import type { TaskId } from '../domain/base/ids.ts';
import { roleOf } from '../domain/closure/role-state.ts';
import { isBeingResolved } from '../domain/derived/derive-resolver.ts';
import { derivedFor, isStanding, plannedIn } from '../domain/derived/derived-tasks.ts';
import { leftOutTexts } from '../domain/derived/left-out.ts';
import { failureText } from '../domain/explain/advice.ts';
import { describeFinding, explain } from '../domain/explain/explain.ts';
import { holdAdvice } from '../domain/explain/hold.ts';
import { isChange, scopeProblem } from '../domain/explain/sentences/change-sentences.ts';
import { duration, few, plural, twoDigits, waveName } from '../domain/explain/text.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { DiffEntry, SnapshotEvidence } from '../domain/gates/evidence.ts';
import { isUndone } from '../domain/landing/undo.ts';
import { isDcmEvent } from '../domain/ledger/dcm-events.ts';
import { isRequest, type RunEvent } from '../domain/ledger/events.ts';
import type { TapName } from '../domain/ledger/requests.ts';
import type { RunState } from '../domain/run/run.ts';
import { blockingNeed, isLive, launchHalt } from '../domain/run/schedule.ts';
import { countsAsDone, endedAttempt, type TaskState } from '../domain/run/task.ts';
import { waitOf } from '../domain/run/waiting.ts';
import { type Whose, whoseFile } from '../domain/scope/claims.ts';
import { outOfScope, scopeOf } from '../domain/scope/scope.ts';
import type { Stored } from '../ports/ledger.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { roleColumns } from './role-text.ts';
import type { RunView } from './run-view.ts';

/** Size of a snapshot's diff. Binary files count as files, without lines. */
export type Diffstat = { readonly files: number; readonly added: number; readonly removed: number };

/** Facts about a task that the ledger does not hold. */
export type TaskActivity = {
  /** The last action or output of its agent, on one line; null while it is not running or has done nothing. */
  readonly doing: string | null;
  /** Null while there is no snapshot. */
  readonly changes: Diffstat | null;
};

export type Activity = ReadonlyMap<TaskId, TaskActivity>;

/** `3 files, +12 −4` */
export const diffstatText = ({ files, added, removed }: Diffstat): string =>
  `${plural(files, 'file')}, +${added} −${removed}`;

export type TaskText = {
  readonly sign: string;
  readonly tone: Span['tone'];
  readonly word: string;
  readonly detail: string;
};

/** One line per task: sign, name, status, age, and detail. */
export function taskLine(view: RunView, task: TaskState, width: number): Text {
  const { sign, tone, word, detail } = describeTask(view.state, task, view.activity?.get(task.id));
  const since = isTaskOpen(task) ? age(view.times.tasks[task.id] ?? null, view.now) : '';
  return [
    { text: `  ${sign} `, tone },
    task.id.padEnd(width),
    '  ',
    { text: detail === '' && since === '' ? word : word.padEnd(9), tone },
    detail === '' && since === '' ? '' : ` ${since.padStart(7)}`,
    detail === '' ? '' : `  ${detail}`,
  ];
}

export function taskWords(state: RunState, task: TaskState): { readonly word: string; readonly detail: string } {
  const { word, detail } = describeTask(state, task);
  return { word, detail };
}

export const isTaskOpen = ({ progress }: TaskState): boolean =>
  !['merged', 'done', 'dropped'].includes(progress.status);

export function describeTask(state: RunState, task: TaskState, activity?: TaskActivity): TaskText {
  const text = describeProgress(state, task, activity);
  const standsFor = state.derived?.[task.id]?.standsFor;
  return standsFor === undefined ? text : { ...text, detail: joined(`for ${standsFor.join(', ')}`, text.detail) };
}

function describeProgress(state: RunState, task: TaskState, activity?: TaskActivity): TaskText {
  const { progress } = task;
  const { doing = null, changes = null } = activity ?? {};
  const role = roleOf(state, task);
  if (role !== null && !isLive(task)) return roleColumns(state, role);
  const stat = changes === null ? '' : diffstatText(changes);
  if (state.ended !== null && ['waiting', 'launching', 'running', 'ended'].includes(progress.status))
    return { sign: '·', tone: 'dim', word: task.launches > 0 ? 'not done' : 'not started', detail: stat };
  switch (progress.status) {
    case 'waiting':
      return waitingText(state, task);
    case 'launching':
      return { sign: '●', tone: 'waiting', word: 'starting', detail: attemptText(task) };
    case 'running':
      return { sign: '●', tone: 'waiting', word: 'running', detail: joined(attemptText(task), doing ?? '') };
    case 'ended':
      return { sign: '●', tone: 'waiting', word: 'judging', detail: 'judging its snapshot' };
    case 'ready':
      return {
        sign: '✓',
        tone: 'good',
        word: 'ready',
        detail: `${stat || fileCount(progress.snapshot)}${acceptanceText(task)}, ${state.ended === null ? 'waiting for its merge' : 'not merged'}`,
      };
    case 'done':
      return {
        sign: '✓',
        tone: 'good',
        word: 'done',
        detail: doneText(state, task),
      };
    case 'merged':
      return {
        sign: '✓',
        tone: 'good',
        word: 'merged',
        detail: `${stat || fileCount(progress.snapshot)}, ${progress.commit.slice(0, 8)}${acceptanceText(task)}${progress.through === undefined ? '' : `, through ${progress.through}${lackText(state, task)}`}${isUndone(state, task.id) ? ', undone' : ''}`,
      };
    case 'held':
      return {
        sign: '!',
        tone: 'bad',
        word: 'held',
        detail: joined(holdAdvice(state, progress.hold, task.id).message, repairText(state, task), stat),
      };
    case 'failed':
      return { sign: '✗', tone: 'bad', word: 'failed', detail: joined(failureText(progress), stat) };
    case 'dropped':
      return { sign: '-', tone: 'dim', word: 'dropped', detail: `by ${progress.by.who}` };
  }
}

/** Names what a resolver left out of the merged work; empty when nothing. */
export function lackText(state: RunState, task: TaskState): string {
  const texts = leftOutTexts(state, task);
  return texts.length === 0 ? '' : `, without ${few(texts, 2)}`;
}

function doneText(state: RunState, { id, readOnly }: TaskState): string {
  if (state.derived?.[id] !== undefined) return 'its work is merged';
  return readOnly ? 'read-only, its handoff is the result' : 'made no changes';
}

/** Names the derived task that repairs a held task; empty when there is none. */
export function repairText(state: RunState, task: TaskState): string {
  const maker = derivedFor(state, task.id).find((derived) => isStanding(state, derived))?.task;
  return maker === undefined || !isBeingResolved(state, task) ? '' : `${maker} repairs it`;
}

function waitingText(state: RunState, task: TaskState): TaskText {
  const plain = { sign: '·', tone: 'dim', word: 'waiting' } as const;
  const blocked = { ...plain, sign: '!', word: 'blocked' };
  if (task.progress.status === 'waiting' && task.progress.next.halt !== null)
    return {
      sign: '✗',
      tone: 'bad',
      word: 'stuck',
      detail: `could not be started: ${describeFinding(task.progress.next.halt)}`,
    };
  const halt = launchHalt(state, task.wave);
  if (halt !== null) return { ...blocked, detail: `until ${halt.task} can be started` };
  const need = blockingNeed(state, task);
  if (need !== null)
    return { ...blocked, detail: `needs ${need}, which is ${state.tasks[need]?.progress.status ?? 'unknown'}` };
  const open = (plannedIn(state, task.id)?.needs ?? []).filter((id) => !countsAsDone(state.tasks[id]));
  if (open.length > 0) return { ...plain, detail: `for ${open.join(', ')}` };
  if (task.launches > 0) return { ...plain, detail: `for attempt ${task.launches + 1}` };
  return { ...plain, detail: waitText(state, task) };
}

/** The first obstacle in a few words; `why` explains it. */
function waitText(state: RunState, { progress, ...task }: TaskState): string {
  const wait = progress.status === 'waiting' ? waitOf(state, { ...task, progress }) : null;
  switch (wait?.on) {
    case 'mode':
      return `while the run is ${state.mode.mode}`;
    case 'wave':
      return `for ${waveName(wait.wave)}`;
    case 'approval':
      return 'for approval';
    default:
      return 'for its turn';
  }
}

/** Names the person who accepted or edited the work. */
function acceptanceText(task: TaskState): string {
  const acceptance = endedAttempt(task)?.acceptance;
  if (acceptance === undefined) return '';
  return `, ${acceptance.edited.length > 0 ? 'edited' : 'accepted'} by ${acceptance.who}`;
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

const attemptText = (task: TaskState): string => (task.launches > 1 ? `attempt ${task.launches}` : '');

export const fileCount = ({ diff }: Pick<SnapshotEvidence, 'diff'>): string => plural(diff.length, 'file');

export type JudgedFile = DiffEntry & { readonly whose: Whose | 'out-of-scope'; readonly problem: string | null };

/** Every file of a snapshot with its owner, or with the reason why the task must not change it, as judged by the gate. */
export function judgeFiles(state: RunState, task: TaskState, snapshot: SnapshotEvidence): readonly JudgedFile[] {
  const planned = plannedIn(state, task.id);
  if (planned === undefined)
    return snapshot.diff.map((entry) => ({ ...entry, whose: 'out-of-scope', problem: 'not in the plan' }));
  const granted = Object.values(state.tasks).map(({ id, granted: paths }) => ({ task: id, paths }));
  const edited = endedAttempt(task)?.acceptance?.edited ?? [];
  const outside = outOfScope(scopeOf(state.plan, planned, granted, edited), snapshot.diff);
  return snapshot.diff.map((entry) => {
    const finding = outside.find(({ where }) => where === entry.path);
    if (finding !== undefined) return { ...entry, whose: 'out-of-scope', problem: problemOf(finding) };
    const whose = whoseFile(state.plan, planned, granted, entry.path);
    const isByHand = whose === 'unclaimed' && edited.includes(entry.path);
    return { ...entry, whose: isByHand ? 'edited' : whose, problem: null };
  });
}

/** Does not name the path, which is shown beside it. */
const problemOf = (finding: Finding): string => (isChange(finding) ? scopeProblem(finding) : explain(finding).detail);

/** Times for people to read. No decision depends on them. */
export type Times = {
  readonly began: string | null;
  readonly ended: string | null;
  /** The time of the last event. */
  readonly last: string | null;
  /** The time at which each task entered its current state. */
  readonly tasks: Readonly<Partial<Record<TaskId, string>>>;
  readonly taps: Readonly<Partial<Record<TapName, string>>>;
  /** The time at which the run or its provider was paused, stopped or halted, or its landing refused. */
  readonly stood: string | null;
  /** The time at which an undo was requested. */
  readonly undo: string | null;
  /** The time at which each record came to the board. */
  readonly records: Readonly<Record<string, string>>;
};

export const noTimes: Times = {
  began: null,
  ended: null,
  last: null,
  tasks: {},
  taps: {},
  stood: null,
  undo: null,
  records: {},
};

export const timesOf = (stored: readonly Stored[]): Times => stored.reduce(evolveTimes, noTimes);

export function evolveTimes(times: Times, { at, event }: Stored): Times {
  const next = { ...times, began: times.began ?? at, last: at };
  if (isRequest(event)) return event.type === 'requested-undo' ? { ...next, undo: at } : next;
  if (isDcmEvent(event)) return next;
  switch (event.type) {
    case 'run-ended':
      return { ...next, ended: at };
    case 'run-paused':
    case 'run-stopped':
    case 'run-halted':
    case 'starts-suspended':
    case 'provider-paused':
    case 'landing-refused':
      return { ...next, stood: at };
    case 'record-posted':
      return { ...next, records: { ...times.records, [event.place.id]: at } };
    case 'attempt-noted':
      return event.place === undefined ? next : { ...next, records: { ...times.records, [event.place.id]: at } };
    case 'tap-opened':
      return { ...next, taps: { ...times.taps, [event.tap]: at } };
    case 'ledger-opened':
    case 'coordinator-started':
    case 'coordinator-stopped':
      return next;
    default:
      return { ...next, tasks: { ...times.tasks, ...Object.fromEntries(touched(event).map((task) => [task, at])) } };
  }
}

/** The tasks that enter another state with this event. */
function touched(event: RunEvent): readonly TaskId[] {
  switch (event.type) {
    case 'phase-judged':
      return event.phase === 'monitor' ? [event.task] : [];
    case 'attempt-intended':
    case 'attempt-started':
    case 'attempt-ended':
    case 'task-dropped':
    case 'task-retried':
    case 'task-continued':
    case 'task-reworked':
    case 'task-held':
    case 'task-released':
    case 'role-opened':
    case 'task-derived':
      return [event.task];
    case 'merged':
      return event.tasks.flatMap(({ task, by }) => (by === undefined ? [task] : [task, by]));
    case 'wave-relaunched':
      return [...event.roles, ...[...event.starts, ...event.reuses].map(({ task }) => task)];
    default:
      return [];
  }
}

/** Empty when the time is not known. */
export const age = (since: string | null | undefined, now: string): string =>
  since === null || since === undefined ? '' : duration(Date.parse(now) - Date.parse(since));

/** ` for 3m 07s`, or empty when the time is not known. */
export function lasting(since: string | null, now: string): string {
  const text = age(since, now);
  return text === '' ? '' : ` for ${text}`;
}

/** The verb for a sentence that ends with `lasts`, the result of `lasting`. */
export const hasBeen = (doing: string, lasts: string): string => (lasts === '' ? `is ${doing}` : `has been ${doing}`);

/** The end of a pause in local time; with `now` also the remaining time. */
export function pauseText(until: string | null, now?: string): string {
  if (until === null) return ' until a person resumes it';
  const at = new Date(until);
  const clock = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
  return ` until ${clock}${now === undefined ? '' : ` (${duration(at.getTime() - Date.parse(now))})`}`;
}
