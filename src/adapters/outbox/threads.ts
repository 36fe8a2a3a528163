import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { ThreadPost } from '../../domain/board/thread-posts.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { BoundThread, FailedWay } from '../../domain/gates/evidence.ts';
import type { ThreadPlan } from '../../domain/settings/thread.ts';
import type { ThreadOrder, Threads } from '../../ports/threads.ts';
import { writeDurably } from '../files/durable-file.ts';
import { parseFields } from '../files/untrusted-json.ts';
import { failpoint } from '../process/failpoint.ts';
import { courier } from './courier.ts';
import { keepLine, readItems } from './log.ts';
import { isToken, post } from './post.ts';

type ThreadSurroundings = {
  readonly stateDirectory: string;
  /** The value of a variable, or of what `tidegate auth secret` keeps under its name. */
  secret(variable: string): string | null;
  readonly timeoutMs?: number;
  readonly waits?: readonly number[];
  readonly graceMs?: number;
};

/** Threads by HTTP: opened at the intake or at threads, posted to at `<threads>/<id>/posts`; and a log beside them. */
export function webThreads(around: ThreadSurroundings): Threads {
  const { stateDirectory } = around;
  const file = join(stateDirectory, 'thread-posts.json');
  const carrier = courier({ ...around, keep: (line) => keepLine(stateDirectory, line) });
  return {
    bind: (order) => bind(around, order),
    told: () => readItems(file),
    remember: (items) => writeDurably(file, `${JSON.stringify(items)}\n`),
    async send(one) {
      const problem = log(stateDirectory, one, one.text);
      if (problem !== null) keepLine(stateDirectory, `${logOf(one)}: ${explain(problem).detail}`);
      const url = addressOf(one);
      if (url === null) return;
      const { run, wave, kind, text } = one;
      const body = { schema: 'tidegate.thread-post/1', run, wave, kind, text };
      const key = randomUUID();
      carrier.deliver({
        lane: url,
        label: `thread of wave ${wave} of ${run}, ${kind}`,
        async hand(signal) {
          const answer = await ask(around, { url, key, body, reads: false, places: one.places, signal });
          return 'because' in answer ? { why: explain(answer.because).detail } : null;
        },
      });
    },
    settle: () => carrier.settle(),
  };
}

/** Intake, threads, log, and the built-in board if not even a file can be written: whatever fails, a run goes on. */
async function bind(around: ThreadSurroundings, order: ThreadOrder) {
  const { run, wave, name, tasks, key, places } = order;
  const body = { schema: 'tidegate.thread/1', run, wave, name, tasks };
  const failed: FailedWay[] = [];
  for (const way of ['intake', 'threads'] as const) {
    const url = places[way];
    if (url === null) continue;
    failpoint('thread-ask-before');
    const answer = await ask(around, { url, key, body, reads: true, places });
    failpoint('thread-asked');
    const id = 'because' in answer ? null : idIn(answer.text);
    if (id !== null) return { board: way, id, failed } satisfies BoundThread;
    failed.push({ way, because: 'because' in answer ? answer.because : { rule: 'thread-without-id' } });
  }
  failpoint('thread-log-before');
  const problem = log(around.stateDirectory, order, `thread of wave ${wave} (${name}) of ${run}`);
  failpoint('thread-logged');
  if (problem === null) return { board: 'log', id: logOf(order), failed } satisfies BoundThread;
  const builtin = { board: 'builtin', id: `${run}/wave-${wave}` } as const;
  return { ...builtin, failed: [...failed, { way: 'log', because: problem } as const] };
}

type Asked = {
  readonly url: string;
  /** The same for the same thing, however often it is asked for. */
  readonly key: string;
  readonly body: object;
  readonly reads: boolean;
  readonly places: ThreadPlan;
  readonly signal?: AbortSignal;
};

type Told = { readonly text: string } | { readonly because: Finding };

async function ask(around: ThreadSurroundings, { url, key, body, reads, places, signal }: Asked): Promise<Told> {
  const { timeoutMs } = around;
  const token = places.tokenFrom === null ? null : around.secret(places.tokenFrom);
  const variable = places.tokenFrom ?? '';
  if (places.tokenFrom !== null && !token) return { because: { rule: 'token-unset', variable } };
  if (token !== null && !isToken(token)) return { because: { rule: 'token-unfit', variable } };
  const answer = await post({
    url,
    headers: { 'idempotency-key': key, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    reads,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.outcome === 'failed') return { because: answer.because };
  const { status, text } = answer;
  return status >= 200 && status < 300 ? { text } : { because: { rule: 'delivery-refused', status } };
}

/** An id becomes part of an address and of the ledger: no id is `..`, and none is long. */
const opened = z.object({
  id: z.union([z.int().nonnegative().transform(String), z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,199}$/)]),
});

const idIn = (text: string): string | null => opened.safeParse(parseFields(text)).data?.id ?? null;

/** Null: the thread is a log, or nobody said where threads are posted to. */
function addressOf({ thread, places }: ThreadPost): string | null {
  if (thread.board === 'log' || places.threads === null) return null;
  const url = new URL(places.threads);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(thread.id)}/posts`;
  return url.href;
}

const logOf = ({ run, wave }: { readonly run: string; readonly wave: number }): string =>
  `runs/${run}/wave-${wave}.log`;

/** Why the line could not be written; null: it was. */
function log(
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
