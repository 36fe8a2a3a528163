import { createHmac, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Notice, WebhookEvent } from '../../domain/notices.ts';
import type { NotifyWays } from '../../domain/settings.ts';
import type { Parcel } from '../web/courier.ts';
import { post } from '../web/post.ts';

export type WebhookSurroundings = {
  /** The checkout; only its name leaves the machine. */
  readonly repository: string;
  /** The value of a variable, or of what `tidegate auth secret` keeps under its name. */
  secret(variable: string): string | null;
  readonly timeoutMs?: number;
};

/** A notice on its way to a webhook, signed. One that answered 410 gets nothing more from this process. */
export function webhooks(around: WebhookSurroundings): (notice: Notice, to: NotifyWays) => Parcel | null {
  const gone = new Set<string>();
  return (notice, { webhook: url, secretFrom, on }) => {
    if (gone.has(url) || (on !== undefined && !on.includes(notice.news))) return null;
    const id = randomUUID();
    const body = JSON.stringify(eventOf(notice, id, around.repository));
    const label = `webhook at ${URL.parse(url)?.host ?? ''}, ${notice.item}`;
    return { lane: url, label, hand: (signal) => hand(signal) };

    async function hand(signal: AbortSignal) {
      if (gone.has(url)) return null;
      const secret = secretFrom === undefined ? null : around.secret(secretFrom);
      // nothing goes out unsigned that was to be signed
      if (secretFrom !== undefined && !secret) return { why: `${secretFrom} is not set`, final: true };
      const headers = {
        'tidegate-event-id': id,
        ...(secret === null ? {} : { 'tidegate-signature': signatureOf(secret, body, Math.floor(Date.now() / 1000)) }),
      };
      const { timeoutMs } = around;
      const within = timeoutMs === undefined ? {} : { timeoutMs };
      const answer = await post({ url, headers, body, reads: false, signal, ...within });
      if (answer.outcome === 'failed') return answer;
      const { status } = answer;
      if (status >= 200 && status < 300) return null;
      if (status === 410) gone.add(url);
      return { why: `answered ${status}`, final: status === 410 };
    }
  };
}

/** The time is signed along, so that a delivery that somebody kept cannot be played again later. */
const signatureOf = (secret: string, body: string, unix: number): string =>
  `t=${unix},v1=${createHmac('sha256', secret).update(`${unix}.${body}`).digest('hex')}`;

const eventOf = (notice: Notice, id: string, repository: string): WebhookEvent => ({
  schema: 'tidegate.webhook/1',
  id,
  at: new Date().toISOString(),
  news: notice.news,
  repository: basename(repository),
  run: notice.run,
  task: notice.task,
  kind: notice.kind,
  message: notice.message,
  safe: notice.safe,
  command: notice.command,
});
