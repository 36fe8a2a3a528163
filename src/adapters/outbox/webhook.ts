import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import {
  type Deliveries,
  type Delivery,
  isOwed,
  type Notice,
  pendingIn,
  trimDeliveries,
  type WebhookEvent,
  withDelivery,
  withTaken,
} from '../../domain/board/notices.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { NotifySetting, NotifyWays } from '../../domain/settings/settings.ts';
import { isEnvironmental } from '../../ports/failures.ts';
import type { Notices } from '../../ports/outbox.ts';
import { failpoint } from '../process/failpoint.ts';
import {
  type DeliveryProblem,
  deliveryJournal,
  deliveryQueue,
  logLine,
  noticeItems,
  type QueueOptions,
} from './delivery-queue.ts';
import { post } from './post.ts';

type WebhookOptions = QueueOptions & {
  /** The checkout; only its name leaves the machine. */
  readonly repository: string;
  /** Returns the value of a variable, or the secret that `tidegate auth secret` keeps under its name. */
  secret(variable: string): string | null;
  /** Returns the setting in force now, without values of a repository that nobody confirmed. */
  setting(): Promise<NotifySetting>;
  readonly timeoutMs?: number;
};

/**
 * Sends each update to a webhook at least once. A delivery is recorded before it is sent, and again when it was taken: after a crash in
 * between, the next coordinator sends the same event again.
 */
export async function webhookNotices(options: WebhookOptions): Promise<Notices> {
  const { stateDirectory } = options;
  const now = (): string => new Date().toISOString();
  /** Null when there is no webhook, or when the setting cannot be read now: owed deliveries stay owed. */
  const readWebhook = async (): Promise<NotifyWays | null> => {
    const setting = await options.setting().catch((error: unknown) => {
      if (!isEnvironmental(error)) throw error;
      return null;
    });
    return setting !== null && typeof setting === 'object' && 'webhook' in setting ? setting : null;
  };
  const queue = deliveryQueue(options);
  const gone = new Set<string>();
  let hasNew = false;
  let deliveries = deliveryJournal.read(stateDirectory);
  /** Without room on the disk, only this process knows the deliveries. */
  const write = (next: Deliveries): void => {
    try {
      if (JSON.stringify(next) !== JSON.stringify(deliveries)) deliveryJournal.write(stateDirectory, next);
    } catch (error) {
      if (!isEnvironmental(error)) throw error;
    }
    deliveries = next;
  };
  /** Notices that people got before there was a webhook are not sent to it. */
  const firstDeliveries = (): Deliveries => {
    const at = now();
    const items = noticeItems.read(stateDirectory);
    return { since: at, all: items.map((item): Delivery => ({ item, lasting: false, at, event: null })) };
  };
  if (deliveries === null && (await readWebhook()) !== null) write(firstDeliveries());

  const isPending = ({ id }: WebhookEvent): boolean =>
    deliveries !== null && pendingIn(deliveries).some(({ event }) => event?.id === id);

  const deliver = (event: WebhookEvent, item: string, { webhook }: NotifyWays): void =>
    queue.deliver({
      lane: 'webhook',
      label: `webhook at ${URL.parse(webhook)?.host ?? ''}, ${item}`,
      isDurable: true,
      async send(signal) {
        const target = await readWebhook();
        if (target === null || !isPending(event) || gone.has(target.webhook)) return null;
        const problem = await sendEvent(options, target, event, signal);
        if (problem !== null && problem.lost !== true) return problem;
        if (problem !== null) gone.add(target.webhook);
        failpoint('webhook-taken');
        if (deliveries !== null) write(withTaken(deliveries, event.id));
        failpoint('webhook-settled');
        return problem;
      },
    });

  /** Delivers what an earlier coordinator left. */
  const resume = async (): Promise<void> => {
    const target = await readWebhook();
    if (target === null || deliveries === null) return;
    for (const { event, item } of pendingIn(deliveries)) if (event !== null) deliver(event, item, target);
  };
  let resuming = Promise.resolve();

  return {
    sent: () => deliveries?.all.map(({ item }) => item) ?? [],
    owed(open) {
      if (deliveries === null) return [];
      const passing = open.flatMap(({ item, lasting }) => (lasting ? [] : [item]));
      const current = trimDeliveries(deliveries, passing, now());
      for (const { item } of pendingIn(deliveries).filter((one) => !pendingIn(current).some(({ at }) => at === one.at)))
        logLine(stateDirectory, `webhook, ${item}: given up: it is over, or a day old`);
      write(current);
      resuming = resume();
      return open.filter((notice) => isOwed(current, notice, now()));
    },
    remember(items) {
      if (deliveries !== null) write(trimDeliveries(deliveries, items, now()));
    },
    async send(notice) {
      const target = await readWebhook();
      if (target === null || (target.on !== undefined && !target.on.includes(notice.news))) return;
      const event = eventOf(notice, now(), options);
      const { item, lasting } = notice;
      const next = withDelivery(deliveries ?? firstDeliveries(), { item, lasting, at: event.at, event });
      if (next === null) return logLine(stateDirectory, `webhook, ${item}: postponed: too many are waiting`);
      failpoint('webhook-record-before');
      write(next);
      failpoint('webhook-recorded');
      hasNew = true;
      deliver(event, item, target);
    },
    async settle() {
      await resuming;
      // old deliveries get one try, and nobody waits long for them
      await queue.settle(hasNew ? undefined : shortGraceMs);
    },
  };
}

const shortGraceMs = 2_000;

/** Sends one event, signed at this moment. A webhook that answers 410 wants no more events. */
async function sendEvent(
  { secret: secretOf, timeoutMs }: WebhookOptions,
  { webhook: url, secretFrom }: NotifyWays,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<DeliveryProblem | null> {
  const secret = secretFrom === undefined ? null : secretOf(secretFrom);
  // an event that must be signed is never sent unsigned
  if (secretFrom !== undefined && !secret) return { why: `${secretFrom} is not set`, final: true };
  const body = JSON.stringify(event);
  const headers = {
    'tidegate-event-id': event.id,
    ...(secret === null ? {} : { 'tidegate-signature': signatureOf(secret, body, Math.floor(Date.now() / 1000)) }),
  };
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const answer = await post({ url, headers, body, reads: false, signal, ...limit });
  if (answer.ok) return null;
  const isGone = answer.error.rule === 'delivery-refused' && answer.error.status === 410;
  return { why: explain(answer.error).detail, ...(isGone ? { final: true, lost: true } : {}) };
}

/** Signs the time as well, so that a recorded delivery cannot be replayed later. */
const signatureOf = (secret: string, body: string, unix: number): string =>
  `t=${unix},v1=${createHmac('sha256', secret).update(`${unix}.${body}`).digest('hex')}`;

const eventOf = (notice: Notice, at: string, { repository, stateDirectory }: WebhookOptions): WebhookEvent => ({
  schema: 'tidegate.webhook/1',
  id: idOf(notice, at, stateDirectory),
  at,
  news: notice.news,
  repository: basename(repository),
  run: notice.run,
  task: notice.task,
  kind: notice.kind,
  message: notice.message.slice(0, mostCharacters),
  safe: notice.safe,
  command: notice.command,
});

const mostCharacters = 4_000;

/** The id is the same for the same item of this repository. An item that was over and comes back gets another id. */
function idOf({ item, lasting }: Notice, at: string, stateDirectory: string): string {
  const named = [basename(stateDirectory), item, ...(lasting ? [] : [at])];
  return createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);
}
