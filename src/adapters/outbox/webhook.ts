import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import type { Notice, WebhookEvent } from '../../domain/board/notices.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { NotifyWays } from '../../domain/settings/settings.ts';
import { post } from './post.ts';

export type WebhookSurroundings = {
  /** The checkout; only its name leaves the machine. */
  readonly repository: string;
  readonly stateDirectory: string;
  /** The value of a variable, or of what `tidegate auth secret` keeps under its name. */
  secret(variable: string): string | null;
  readonly timeoutMs?: number;
};

/** `gone`: nobody wants to have it any more. `final`: there is no use in trying again soon. */
type NotTaken = { readonly why: string; readonly final?: boolean; readonly gone?: boolean };

/** Hands one event over, signed as it is sent. Null: it was taken. */
export async function handOver(
  around: WebhookSurroundings,
  { webhook: url, secretFrom }: NotifyWays,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<NotTaken | null> {
  const secret = secretFrom === undefined ? null : around.secret(secretFrom);
  // nothing goes out unsigned that was to be signed
  if (secretFrom !== undefined && !secret) return { why: `${secretFrom} is not set`, final: true };
  const body = JSON.stringify(event);
  const headers = {
    'tidegate-event-id': event.id,
    ...(secret === null ? {} : { 'tidegate-signature': signatureOf(secret, body, Math.floor(Date.now() / 1000)) }),
  };
  const { timeoutMs } = around;
  const answer = await post({
    url,
    headers,
    body,
    reads: false,
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  if (answer.outcome === 'failed') return { why: explain(answer.because).detail };
  const { status } = answer;
  if (status >= 200 && status < 300) return null;
  return { why: `answered ${status}`, ...(status === 410 ? { final: true, gone: true } : {}) };
}

/** The time is signed along, so that a delivery that somebody kept cannot be played again later. */
const signatureOf = (secret: string, body: string, unix: number): string =>
  `t=${unix},v1=${createHmac('sha256', secret).update(`${unix}.${body}`).digest('hex')}`;

export const eventOf = (notice: Notice, at: string, around: WebhookSurroundings): WebhookEvent => ({
  schema: 'tidegate.webhook/1',
  id: idOf(notice, at, around.stateDirectory),
  at,
  news: notice.news,
  repository: basename(around.repository),
  run: notice.run,
  task: notice.task,
  kind: notice.kind,
  message: notice.message.slice(0, mostCharacters),
  safe: notice.safe,
  command: notice.command,
});

const mostCharacters = 4_000;

/** The same for the same item of this repository; what was over and comes back is another. */
function idOf({ item, lasting }: Notice, at: string, stateDirectory: string): string {
  const named = [basename(stateDirectory), item, ...(lasting ? [] : [at])];
  return createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);
}
