import type { TaskId } from '../domain/base/ids.ts';
import { duration, twoDigits } from '../domain/explain/text.ts';
import { isDcmEvent } from '../domain/ledger/dcm-events.ts';
import { isRequest, type RunEvent } from '../domain/ledger/events.ts';
import type { TapName } from '../domain/ledger/requests.ts';
import type { Stored } from '../ports/ledger.ts';

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
};

export const noTimes: Times = { began: null, ended: null, last: null, tasks: {}, taps: {}, stood: null, undo: null };

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
    case 'task-reworked':
    case 'task-held':
    case 'task-released':
      return [event.task];
    case 'merged':
      return event.tasks.map(({ task }) => task);
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
