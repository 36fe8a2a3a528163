import type { WebhookEvent } from './notices.ts';

/** One item on its way to a webhook, or taken by it. */
export type Delivery = {
  readonly item: string;
  readonly lasting: boolean;
  /** When it was first tried. */
  readonly at: string;
  /** What is still to be brought; null: there is nothing left to do. */
  readonly event: WebhookEvent | null;
};

/** What a webhook was told of a repository, and what it is still owed. `since`: what ended before is nobody's business. */
export type Deliveries = { readonly since: string; readonly all: readonly Delivery[] };

/** Who has not listened for a day does not want to know any more. */
const longestOwedMs = 24 * 60 * 60 * 1000;
/** More than a person could ever look at; what comes after them is brought by a later coordinator. */
export const mostOwed = 200;

export const owedIn = ({ all }: Deliveries): readonly Delivery[] => all.filter(({ event }) => event !== null);

/** What lasts is owed for a day, also when whoever saw it come could not even write it down. */
export function isOwed(
  { since, all }: Deliveries,
  news: { readonly item: string; readonly lasting: boolean; readonly since?: string },
  now: string,
): boolean {
  if (!news.lasting || news.since === undefined || news.since < since || isOld(news.since, now)) return false;
  return !all.some(({ item }) => item === news.item);
}

/** Null where there is no room. */
export function begun(deliveries: Deliveries, delivery: Delivery): Deliveries | null {
  if (owedIn(deliveries).length >= mostOwed) return null;
  return {
    ...deliveries,
    all: [...deliveries.all.filter(({ item, event }) => item !== delivery.item || event !== null), delivery],
  };
}

export const settled = (deliveries: Deliveries, id: string): Deliveries => ({
  ...deliveries,
  all: deliveries.all.map((one) => (one.event?.id === id ? { ...one, event: null } : one)),
});

/**
 * Without what no longer matters: that somebody was needed who is not any more, what is over and was taken, and whatever is older than
 * a day. `open`: what there is to tell now, beside what lasts.
 */
export function kept(deliveries: Deliveries, open: readonly string[], now: string): Deliveries {
  const all = deliveries.all.flatMap((one): readonly Delivery[] => {
    const left = isOld(one.at, now) ? null : one.event;
    if (one.lasting) return isOld(one.at, now) ? [] : [one];
    if (open.includes(one.item)) return [{ ...one, event: left }];
    return left?.news === 'failed' ? [one] : [];
  });
  return { ...deliveries, all };
}

const isOld = (at: string, now: string): boolean => Date.parse(now) - Date.parse(at) > longestOwedMs;
