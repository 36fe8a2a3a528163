import type { WebhookEvent } from './notices.ts';

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
