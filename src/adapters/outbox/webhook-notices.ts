import { join } from 'node:path';
import { begun, type Deliveries, type Delivery, isOwed, kept, owedIn, settled } from '../../domain/board/deliveries.ts';
import type { WebhookEvent } from '../../domain/board/notices.ts';
import type { NotifySetting, NotifyWays } from '../../domain/settings/settings.ts';
import { isEnvironmental } from '../../ports/failures.ts';
import type { Notices } from '../../ports/notices.ts';
import { failpoint } from '../process/failpoint.ts';
import { courier } from './courier.ts';
import { readDeliveries, writeDeliveries } from './journal.ts';
import { keepLine, readItems } from './log.ts';
import { eventOf, handOver, type WebhookSurroundings } from './webhook.ts';

type DeliverySurroundings = WebhookSurroundings & {
  /** As it holds now, with every layer; what a repository asks for and nobody confirmed is not in it. */
  setting(): Promise<NotifySetting>;
  readonly waits?: readonly number[];
  readonly graceMs?: number;
  /** Before what was put off is tried anew by the same process; each time twice as long. */
  readonly againMs?: number;
};

/**
 * Tells a webhook of each item at least once. What is to be brought is written down before it is sent, and that it was taken
 * afterwards: whoever is killed in between leaves it to the next coordinator, which sends the very same once more.
 */
export async function webhookNotices(around: DeliverySurroundings): Promise<Notices> {
  const { stateDirectory, againMs = 5 * 60_000 } = around;
  const now = (): string => new Date().toISOString();
  /** Null where there is none, or where nobody can tell now: what is owed stays so. */
  const wayOf = async (): Promise<NotifyWays | null> => {
    const setting = await around.setting().catch((error: unknown) => {
      if (!isEnvironmental(error)) throw error;
      return null;
    });
    return setting !== null && typeof setting === 'object' && 'webhook' in setting ? setting : null;
  };
  const carrier = courier({ ...around, keep: (line) => keepLine(stateDirectory, line) });
  const gone = new Set<string>();
  const later = new Set<NodeJS.Timeout>();
  let isFresh = false;
  let deliveries = readDeliveries(stateDirectory);
  const write = (next: Deliveries): void => {
    if (JSON.stringify(next) !== JSON.stringify(deliveries)) writeDeliveries(stateDirectory, next);
    deliveries = next;
  };
  /** From here on what ends is owed. What people were told before there was a webhook is no news to it. */
  const begin = (): Deliveries => {
    const at = now();
    const told = readItems(join(stateDirectory, 'notices.json'));
    return { since: at, all: told.map((item): Delivery => ({ item, lasting: false, at, event: null })) };
  };
  if (deliveries === null && (await wayOf()) !== null) write(begin());

  const isStillOwed = ({ id }: WebhookEvent): boolean =>
    deliveries !== null && owedIn(deliveries).some(({ event }) => event?.id === id);

  const bring = (event: WebhookEvent, item: string, to: NotifyWays, pause = againMs): void =>
    carrier.deliver({
      lane: to.webhook,
      label: `webhook at ${URL.parse(to.webhook)?.host ?? ''}, ${item}`,
      async hand(signal) {
        if (!isStillOwed(event) || gone.has(to.webhook)) return null;
        const problem = await handOver(around, to, event, signal);
        if (problem !== null && problem.gone !== true) return problem;
        if (problem?.gone === true) gone.add(to.webhook);
        failpoint('webhook-taken');
        if (deliveries !== null) write(settled(deliveries, event.id));
        failpoint('webhook-settled');
        return problem === null ? null : { ...problem, lost: true };
      },
      putOff() {
        const timer = setTimeout(() => {
          later.delete(timer);
          void wayOf().then((way) => (way === null ? undefined : bring(event, item, way, pause * 2)));
        }, pause).unref();
        later.add(timer);
      },
    });

  /** What an earlier coordinator left. */
  const takeUp = async (): Promise<void> => {
    const to = await wayOf();
    if (to === null || deliveries === null) return;
    for (const { event, item } of owedIn(deliveries)) if (event !== null) bring(event, item, to);
  };
  let takingUp = Promise.resolve();

  return {
    told: () => deliveries?.all.map(({ item }) => item) ?? [],
    owed(open) {
      if (deliveries === null) return [];
      const passing = open.flatMap(({ item, lasting }) => (lasting ? [] : [item]));
      const known = kept(deliveries, passing, now());
      for (const { item } of owedIn(deliveries).filter((one) => !owedIn(known).some(({ at }) => at === one.at)))
        keepLine(stateDirectory, `webhook, ${item}: given up: it is over, or a day old`);
      write(known);
      takingUp = takeUp();
      return open.filter((notice) => isOwed(known, notice, now()));
    },
    remember(items) {
      if (deliveries !== null) write(kept(deliveries, items, now()));
    },
    async send(notice) {
      const to = await wayOf();
      if (to === null || (to.on !== undefined && !to.on.includes(notice.news))) return;
      const event = eventOf(notice, now(), around);
      const { item, lasting } = notice;
      const next = begun(deliveries ?? begin(), { item, lasting, at: event.at, event });
      if (next === null) return keepLine(stateDirectory, `webhook, ${item}: put off: too much is waiting`);
      failpoint('webhook-record-before');
      write(next);
      failpoint('webhook-recorded');
      isFresh = true;
      bring(event, item, to);
    },
    async settle() {
      for (const timer of later) clearTimeout(timer);
      await takingUp;
      // what could not be brought for long is tried once, and keeps nobody waiting
      await carrier.settle(isFresh ? undefined : shortGraceMs);
    },
  };
}

const shortGraceMs = 2_000;
