import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { type Merger, type MergerAnswer, MergerFailed } from '../../ports/merger.ts';
import { findingSchema } from '../files/finding-schema.ts';
import { parseFields } from '../files/untrusted-json.ts';

type MergerProcessOptions = {
  /** argv of the merger up to its own arguments: the Node binary and `dist/main/merger.js`. */
  readonly command: readonly [string, ...string[]];
  readonly stateDir: string;
  readonly checkout: string;
  /** The person's environment: their git identity, keys and filters are used by the steps that are theirs. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

const answerSchema: z.ZodType<MergerAnswer> = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done') }),
  z.strictObject({ outcome: z.literal('refused'), because: findingSchema }),
  z.strictObject({ outcome: z.literal('stale-epoch') }),
]);
const replySchema = z.union([
  z.strictObject({ id: z.int(), answer: answerSchema }),
  z.strictObject({ id: z.int(), failed: findingSchema }),
]);

/**
 * The merger as one long-lived child that leads its own process group, so that the next one can end it with all its git
 * children. Started at the first request, and again at the next one after it died.
 */
export function mergerProcess(options: MergerProcessOptions): Merger {
  let line: Line | null = null;
  let last = 0;
  let disposed = false;
  return {
    ask: async (request, epoch) => {
      // a merger that is started after the release would belong to nobody and keep this process alive
      if (disposed) throw new MergerFailed({ rule: 'merger-released' });
      if (line === null || line.isClosed()) line = openLine(options);
      last += 1;
      return await line.send(last, { id: last, epoch, request });
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
      await line?.close();
    },
  };
}

type Line = {
  send(id: number, message: unknown): Promise<MergerAnswer>;
  isClosed(): boolean;
  close(): Promise<void>;
};
type Waiting = { readonly resolve: (answer: MergerAnswer) => void; readonly reject: (error: Error) => void };

function openLine({ command: [program, ...first], stateDir, checkout, env }: MergerProcessOptions): Line {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(program, [...first, stateDir, checkout], {
    detached: true,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, Waiting>();
  let closed = false;
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4096);
  });
  // A merger that died takes no more requests; `close` rejects those that wait.
  child.stdin.on('error', () => undefined);

  const end = (finding: Finding, cause?: unknown) => {
    closed = true;
    for (const { reject } of waiting.values()) reject(new MergerFailed(finding, { cause }));
    waiting.clear();
  };
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end({ rule: 'merger-unstartable', words: boundedWords(error.message) }, error);
      resolve();
    });
    child.once('close', (code, signal) => {
      end({ rule: 'merger-ended', code, signal, words: boundedWords(stderr) });
      resolve();
    });
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const reply = parseReply(text);
    if (reply === null) {
      end({ rule: 'merger-garbled', words: boundedWords(text) });
      child.kill('SIGKILL');
      return;
    }
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('answer' in reply) caller?.resolve(reply.answer);
    else caller?.reject(new MergerFailed(reply.failed));
  });
  return {
    send: (id, message) =>
      new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin.write(`${JSON.stringify(message)}\n`);
      }),
    isClosed: () => closed,
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Null for a line that no merger of this version writes. */
function parseReply(text: string): z.infer<typeof replySchema> | null {
  const parsed = replySchema.safeParse(parseFields(text));
  return parsed.success ? parsed.data : null;
}
