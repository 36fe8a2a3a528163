import type { Advice } from '../explain/advice.ts';
import { type Need, type NeedKind, needsOf } from '../explain/needs.ts';
import { duration } from '../explain/text.ts';
import type { Offer } from '../landing/pull-request.ts';
import type { RunState } from '../run/run.ts';
import type { NewsKind } from '../settings/settings.ts';
import { announcedOverdue, clocksOf } from './clocks.ts';

/** Says once that a person is needed, or that a run has ended. */
export type Notice = Update &
  Advice & {
    readonly news: NewsKind;
    readonly kind: NeedKind | 'overdue' | 'ended';
    readonly run: string;
    readonly task: string | null;
    /** The time when it came, if known. */
    readonly since?: string;
  };

/** The body of a webhook request. */
export type WebhookEvent = Pick<Notice, 'news' | 'run' | 'task' | 'kind' | 'message' | 'safe' | 'command'> & {
  readonly schema: 'tidegate.webhook/1';
  /** Identifies the item; the same for every try of its delivery. */
  readonly id: string;
  /** The time of the first try. */
  readonly at: string;
  /** The name of the checkout. */
  readonly repository: string;
};

/** People need no notice of what they did themselves. */
const isAnnounced: Readonly<Record<NeedKind, boolean>> = {
  approve: true,
  land: true,
  held: true,
  failed: true,
  blocked: true,
  launch: true,
  paused: false,
  stopped: false,
  halted: true,
  disk: true,
  login: true,
  budget: true,
  scope: true,
  question: true,
  barrier: true,
  dependency: true,
  requires: false,
  landing: true,
};

/** Returns all open notices of a run. */
export const noticesOf = (state: RunState): readonly Notice[] => [
  ...needsOf(state).flatMap((need) => (isAnnounced[need.kind] ? [noticeOf(state, need)] : [])),
  ...overdueNotice(state),
  ...endingOf(state),
];

/**
 * One notice for all overdue records. It is sent again when another one is overdue, and not when one of them is settled.
 */
function overdueNotice(state: RunState): readonly Notice[] {
  const [first, ...more] = state.ended === null ? announcedOverdue(state) : [];
  if (first === undefined) return [];
  const { run } = state;
  const { record, clock } = first;
  const subject = `${record.kind} ${record.id}`;
  const time = duration(clocksOf(state)[`${clock}Seconds`] * 1000);
  const message = {
    acknowledge: `${subject} is overdue: ${record.target} has not acknowledged it for ${time}`,
    stale: `${subject} is overdue: ${record.target} has not settled it for ${time}`,
    answer: `${subject} is overdue: it has been waiting for you for ${time}`,
  }[clock];
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const safe = 'nothing is answered by time';
  const command = `tidegate why ${run} --all`;
  const item = [run, 'overdue', state.alerts ?? 0].join(' ');
  const news = { kind: 'overdue', news: 'needs-you', run, task: null, item, lasting: false } as const;
  return [{ ...news, message: `${message}${others}`, safe, command }];
}

const noticeOf = ({ run }: RunState, need: Need): Notice => ({
  ...need,
  news: need.kind === 'failed' ? 'failed' : 'needs-you',
  run,
  item: [run, need.kind, need.task ?? '', ...[need.record, need.barrier].filter((id) => id !== undefined)].join(' '),
  lasting: false,
});

const offerAdvice = (run: string, { branch, pushed, url }: Offer): Advice => ({
  message: url === null ? `${branch} is pushed to ${pushed.remote}` : `pull request: ${url}`,
  safe: 'your branch is unchanged',
  command: `tidegate show ${run}`,
});

function endingOf({ run, ended, target, hash, landing }: RunState): readonly Notice[] {
  // the person who ended it needs no notice
  if (ended === null || ended === 'rejected' || ended === 'abandoned') return [];
  const isOffered = landing.status === 'offered';
  const advice = {
    landed: {
      message: `landed on ${target.branch}`,
      safe: 'tidegate undo reverts it',
      command: `tidegate show ${run}`,
    },
    done: isOffered
      ? offerAdvice(run, landing)
      : { message: 'done', safe: 'its work is on the run branch', command: `tidegate show ${run}` },
    failed: { message: 'ended without a result', safe: 'your branch is unchanged', command: `tidegate why ${run}` },
  }[ended];
  const news = ended === 'failed' ? 'failed' : 'done';
  const item = [run, 'ended', ended, hash.slice(0, 12)].join(' ');
  return [{ ...advice, news, kind: 'ended', run, task: null, item, lasting: true }];
}

/** Something that is sent once. */
export type Update = {
  /** Identifies the update, however its wording changes meanwhile. */
  readonly item: string;
  /** True for ever once it is true. Any other update can be over, and is sent again when it comes back. */
  readonly lasting: boolean;
};

/** Returns the updates that must be sent, and the sent items that are still open. An item that is over is forgotten. */
export function dueUpdates<U extends Update>(
  open: readonly U[],
  sent: readonly string[],
): { readonly due: readonly U[]; readonly stillOpen: readonly string[] } {
  const items = new Map(open.map((update) => [update.item, update]));
  return {
    due: [...items.values()].filter(({ item }) => !sent.includes(item)),
    stillOpen: sent.filter((item) => items.has(item)),
  };
}

/** One update that a webhook takes or has taken. */
export type Delivery = Update & {
  /** The time of the first try. */
  readonly at: string;
  /** The message to deliver; null when the webhook has taken it. */
  readonly event: WebhookEvent | null;
};

/** The deliveries of a repository's webhook. Updates from before `since` are not delivered. */
export type Deliveries = { readonly since: string; readonly all: readonly Delivery[] };

const longestPendingMs = 24 * 60 * 60 * 1000;
/** A later coordinator delivers what exceeds this. */
export const mostPending = 200;

export const pendingIn = ({ all }: Deliveries): readonly Delivery[] => all.filter(({ event }) => event !== null);

/** A lasting update is owed for a day, even when its coordinator could not record it. */
export function isOwed({ since, all }: Deliveries, update: Update & { readonly since?: string }, now: string): boolean {
  if (!update.lasting || update.since === undefined || update.since < since || isOld(update.since, now)) return false;
  return !all.some(({ item }) => item === update.item);
}

/** Adds a delivery; null when there is no room. */
export function withDelivery(deliveries: Deliveries, delivery: Delivery): Deliveries | null {
  if (pendingIn(deliveries).length >= mostPending) return null;
  return {
    ...deliveries,
    all: [...deliveries.all.filter(({ item, event }) => item !== delivery.item || event !== null), delivery],
  };
}

/** Marks the delivery of the event with this id as done. */
export const withTaken = (deliveries: Deliveries, id: string): Deliveries => ({
  ...deliveries,
  all: deliveries.all.map((one) => (one.event?.id === id ? { ...one, event: null } : one)),
});

/**
 * Removes deliveries that no longer matter: requests for a person who is not needed any more, taken ones that are over, and everything
 * older than a day. `open` holds the open items that do not last.
 */
export function trimDeliveries(deliveries: Deliveries, open: readonly string[], now: string): Deliveries {
  const all = deliveries.all.flatMap((one): readonly Delivery[] => {
    const event = isOld(one.at, now) ? null : one.event;
    if (one.lasting) return isOld(one.at, now) ? [] : [one];
    if (open.includes(one.item)) return [{ ...one, event }];
    return event?.news === 'failed' ? [one] : [];
  });
  return { ...deliveries, all };
}

const isOld = (at: string, now: string): boolean => Date.parse(now) - Date.parse(at) > longestPendingMs;
