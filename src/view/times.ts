import type { TaskId } from '../domain/base/ids.ts';
import { duration, two } from '../domain/explain/text.ts';
import { isDcmEvent } from '../domain/ledger/dcm-events.ts';
import { isRequest, type RunEvent } from '../domain/ledger/events.ts';
import type { TapName } from '../domain/ledger/requests.ts';
import type { Stored } from '../ports/ledger.ts';

/** When things happened, for people only: nothing is decided by it. */
export type Times = {
  readonly began: string | null;
  readonly ended: string | null;
  /** The last thing that happened to the run. */
  readonly last: string | null;
  /** When a task came into the state it is in. */
  readonly tasks: Readonly<Partial<Record<TaskId, string>>>;
  readonly taps: Readonly<Partial<Record<TapName, string>>>;
  /** Since when it is paused, stopped or halted, its provider is, or its landing is refused. */
  readonly stood: string | null;
  /** Since when an undo is under way. */
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

/** Tasks that an event brings into another state. */
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

/** How long ago, or nothing when it is not known. */
export const age = (since: string | null | undefined, now: string): string =>
  since === null || since === undefined ? '' : duration(Date.parse(now) - Date.parse(since));

/** ` for 3m 07s`, or nothing when it is not known. */
export function lasting(since: string | null, now: string): string {
  const text = age(since, now);
  return text === '' ? '' : ` for ${text}`;
}

/** The verb of a sentence that says for how long, where that is known. `lasts` is what `lasting` returned. */
export const hasBeen = (doing: string, lasts: string): string => (lasts === '' ? `is ${doing}` : `has been ${doing}`);

/** Until when, by the clock of who reads it; with `now` also for how long yet. */
export function pauseText(until: string | null, now?: string): string {
  if (until === null) return ' until a person resumes it';
  const at = new Date(until);
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return ` until ${clock}${now === undefined ? '' : ` (${duration(at.getTime() - Date.parse(now))})`}`;
}
