import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { err, type Result } from '../../domain/base/result.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { ThreadPost } from '../../domain/board/thread-posts.ts';
import { explain } from '../../domain/explain/explain.ts';
import { waveName } from '../../domain/explain/text.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { BoundThread, FailedWay } from '../../domain/gates/evidence.ts';
import type { ThreadPlan } from '../../domain/plan/plan.ts';
import type { ThreadOrder, Threads } from '../../ports/outbox.ts';
import { parseFields } from '../files/untrusted-json.ts';
import { failpoint } from '../process/failpoint.ts';
import { deliveryQueue, logLine, type QueueOptions, threadItems } from './delivery-queue.ts';
import { isToken, post } from './post.ts';

type ThreadOptions = QueueOptions & {
  /** Returns the value of a variable, or the secret that `tidegate auth secret` keeps under its name. */
  secret(variable: string): string | null;
  readonly timeoutMs?: number;
};

/** Threads over HTTP: opened at the intake or at threads, posted to at `<threads>/<id>/posts`; and a log beside them. */
export function webThreads(options: ThreadOptions): Threads {
  const { stateDirectory } = options;
  const queue = deliveryQueue(options);
  return {
    bind: (order) => bind(options, order),
    sent: () => threadItems.read(stateDirectory),
    remember: (items) => threadItems.write(stateDirectory, items),
    async send(update) {
      const problem = writeToLog(stateDirectory, update, update.text);
      if (problem !== null) logLine(stateDirectory, `${logOf(update)}: ${explain(problem).detail}`);
      const url = addressOf(update);
      if (url === null) return;
      const { run, wave, kind, text, places } = update;
      const body = { schema: 'tidegate.thread-post/1', run, wave, kind, text };
      const key = randomUUID();
      queue.deliver({
        lane: url,
        label: `thread of wave ${wave + 1} of ${run}, ${kind}`,
        async send(signal) {
          const answer = await postWithToken(options, { url, key, body, reads: false, places, signal });
          return answer.ok ? null : { why: explain(answer.error).detail };
        },
      });
    },
    settle: () => queue.settle(),
  };
}

/** Tries intake, threads, the log, and last the built-in board: no failure stops the run. */
async function bind(options: ThreadOptions, order: ThreadOrder) {
  const { run, wave, name, tasks, key, places } = order;
  const body = { schema: 'tidegate.thread/1', run, wave, name, tasks };
  const failed: FailedWay[] = [];
  for (const way of ['intake', 'threads'] as const) {
    const url = places[way];
    if (url === null) continue;
    failpoint('thread-ask-before');
    const answer = await postWithToken(options, { url, key, body, reads: true, places });
    failpoint('thread-asked');
    const id = answer.ok ? idIn(answer.value) : null;
    if (id !== null) return { board: way, id, failed } satisfies BoundThread;
    failed.push({ way, because: answer.ok ? { rule: 'thread-without-id' } : answer.error });
  }
  failpoint('thread-log-before');
  const problem = writeToLog(options.stateDirectory, order, `thread of ${waveName(wave, name)} of ${run}`);
  failpoint('thread-logged');
  if (problem === null) return { board: 'log', id: logOf(order), failed } satisfies BoundThread;
  const builtin = { board: 'builtin', id: `${run}/wave-${wave}` } as const;
  return { ...builtin, failed: [...failed, { way: 'log', because: problem } as const] };
}

type ThreadRequest = {
  readonly url: string;
  /** Idempotency key: the same for every try of the same request. */
  readonly key: string;
  readonly body: object;
  readonly reads: boolean;
  readonly places: ThreadPlan;
  readonly signal?: AbortSignal;
};

async function postWithToken(
  { secret, timeoutMs }: ThreadOptions,
  { key, body, places: { tokenFrom }, ...request }: ThreadRequest,
): Promise<Result<string, Finding>> {
  const token = tokenFrom === null ? null : secret(tokenFrom);
  if (tokenFrom !== null && !token) return err({ rule: 'token-unset', variable: tokenFrom });
  if (tokenFrom !== null && token !== null && !isToken(token)) return err({ rule: 'token-unfit', variable: tokenFrom });
  return await post({
    ...request,
    headers: { 'idempotency-key': key, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

/** An id becomes part of an address and of the ledger, so it is short and never `..`. */
const openedThread = z.object({
  id: z.union([z.int().nonnegative().transform(String), z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,199}$/)]),
});

const idIn = (text: string): string | null => openedThread.safeParse(parseFields(text)).data?.id ?? null;

/** Returns the address for posts; null when the thread is a log or the plan names no address. */
function addressOf({ thread, places }: ThreadPost): string | null {
  if (thread.board === 'log' || places.threads === null) return null;
  const url = new URL(places.threads);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(thread.id)}/posts`;
  return url.href;
}

const logOf = ({ run, wave }: { readonly run: string; readonly wave: number }): string =>
  `runs/${run}/wave-${wave}.log`;

/** Returns why the line could not be written; null when it was. */
function writeToLog(
  stateDirectory: string,
  of: { readonly run: string; readonly wave: number },
  line: string,
): Finding | null {
  const path = join(stateDirectory, logOf(of));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${new Date().toISOString()} ${safeLine(line)}\n`, { mode: 0o600, flush: true });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { rule: 'thread-log', code: String(error.code) };
    throw error;
  }
}
