import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { shallowJson } from '../../adapters/files/untrusted-json.ts';
import { type HandoffSource, judgeHandoff } from '../../adapters/handoff/index.ts';
import { isMilder, reportGap } from '../../domain/closure/report.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Handoff } from '../../domain/gates/evidence.ts';
import type { Ask, Asks, ShownScope } from './asks.ts';
import { openMcpLines } from './mcp-lines.ts';
import type { Acting, Posting, Posts, RefuseMessage } from './posts.ts';

export type ClientChannel = AsyncDisposable & {
  /** The last valid one. */
  handoff(): Handoff | null;
  /** Returns the commands that were tried from inside and that only a person may run. */
  refusals(): readonly string[];
  /** Closes all lines of MCP. */
  endMcp(): void;
};

/** A hook's payload holds what the agent is about to write. */
const lineLimit = 32 << 20;
const refusalLimit = 100;

/**
 * The socket that is bound into the fence. What comes through it is of this attempt, whatever it says: no name or token in a
 * message is believed. `keep` makes a handoff durable before the agent hears that it was taken.
 */
export async function openClientChannel(
  path: string,
  source: HandoffSource,
  on: {
    /** The program that makes pipes, and the user who owns them. */
    readonly pipes: { readonly mkfifo: string; readonly owner: number };
    keep(handoff: Handoff): void;
    /** Returns the output and exit code of the agent's own hook; null when this agent has no hook. */
    readonly hook: ((payload: unknown) => HookAnswer) | null;
    readonly ask: Asks['ask'];
    readonly scope: Asks['scope'];
    readonly post: Posts['post'];
    readonly act: Posts['act'];
    readonly inbox: Posts['inbox'];
    /** The reason why a message is refused, whatever it says; absent when this agent may do everything. */
    readonly refuse?: RefuseMessage;
  },
): Promise<ClientChannel> {
  let handoff: Handoff | null = null;
  const refusals: string[] = [];
  const answer = (received: unknown): ChannelAnswer | Promise<ChannelAnswer> => {
    const message = messageIn(received);
    if (message === null) return { ok: false, why: 'not understood' };
    const refusal = on.refuse?.(message) ?? null;
    if (refusal !== null) return { ok: false, why: refusal };
    if (message.do === 'hook')
      return on.hook === null
        ? { ok: false, why: 'this agent has no hook' }
        : { ok: true, ...on.hook(message.payload) };
    if (message.do === 'ask') return on.ask(message);
    if (message.do === 'post') return on.post(message);
    if (message.do === 'act') return on.act(message);
    if (message.do === 'inbox') return { ok: true, mail: on.inbox(message.record) };
    if (message.do === 'scope') return { ok: true, scope: on.scope() };
    if (message.do === 'mcp') {
      const line = mcp.open();
      return line === null ? { ok: false, why: 'there can be no more of it' } : { ok: true, line };
    }
    if (message.do === 'refused') {
      if (refusals.length < refusalLimit) refusals.push(message.what);
      return { ok: true };
    }
    const judged = judgeHandoff(Buffer.from(JSON.stringify(withNonce(message.handoff, source.nonce))), source);
    if (!judged.ok) return { ok: false, why: explain(judged.error).detail };
    const { report } = judged.value;
    const gap = report === undefined ? null : reportGap(report, source.names ?? {});
    if (gap !== null) return { ok: false, why: explain(gap).detail };
    const first = handoff?.report;
    const isJudged = source.closes !== undefined && report !== undefined && first !== undefined;
    if (isJudged && isMilder(source.closes, report, first)) {
      if (refusals.length < refusalLimit) refusals.push(`verdict ${report.word} after ${first.word}`);
      return { ok: false, why: explain({ rule: 'report-milder', word: report.word, first: first.word }).detail };
    }
    on.keep(judged.value);
    handoff = judged.value;
    return { ok: true };
  };
  const agent = on.refuse === undefined ? source.closes : 'orchestrator';
  const mcp = openMcpLines({ directory: dirname(path), ...on.pipes }, answer, agent);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    answerLines(socket, answer);
  });
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o666);
  return {
    handoff: () => handoff,
    refusals: () => [...refusals],
    endMcp: () => mcp[Symbol.dispose](),
    async [Symbol.asyncDispose]() {
      mcp[Symbol.dispose]();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type HookAnswer = { readonly stdout: string; readonly exit: number };
export type ChannelAnswer = {
  readonly ok: boolean;
  readonly why?: string;
  readonly granted?: boolean;
  /** Granted, but read-only until the next attempt. */
  readonly later?: readonly string[];
  readonly answer?: string | null;
  readonly mail?: string;
  readonly scope?: ShownScope | null;
  /** The name of a line of MCP. */
  readonly line?: string;
} & Partial<HookAnswer>;

export type Message =
  | { readonly do: 'handoff'; readonly handoff: unknown }
  | { readonly do: 'hook'; readonly payload: unknown }
  | ({ readonly do: 'ask' } & Ask)
  | ({ readonly do: 'post' } & Posting)
  | ({ readonly do: 'act' } & Acting)
  | { readonly do: 'inbox'; readonly record: string | null }
  | { readonly do: 'scope' }
  | { readonly do: 'mcp' }
  | { readonly do: 'refused'; readonly what: string };

function messageIn(raw: unknown): Message | null {
  if (typeof raw !== 'object' || raw === null || !('do' in raw)) return null;
  if (raw.do === 'hook' && 'payload' in raw) return { do: 'hook', payload: raw.payload };
  if (raw.do === 'handoff' && 'handoff' in raw) return { do: 'handoff', handoff: raw.handoff };
  if (raw.do === 'ask') return askIn(raw);
  if (raw.do === 'post') return postIn(raw);
  if (raw.do === 'act') return actIn(raw);
  if (raw.do === 'inbox')
    return { do: 'inbox', record: 'record' in raw && typeof raw.record === 'string' ? raw.record.slice(0, 9) : null };
  if (raw.do === 'scope' || raw.do === 'mcp') return { do: raw.do };
  if (raw.do === 'refused' && 'what' in raw && typeof raw.what === 'string')
    return { do: 'refused', what: raw.what.slice(0, 200) };
  return null;
}

function askIn(raw: object): Message | null {
  const { paths, why, wait } = raw as Partial<Record<keyof Ask, unknown>>;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string' && path.length <= 500)) return null;
  if (typeof why !== 'string' || typeof wait !== 'number') return null;
  return { do: 'ask', paths, why: why.slice(0, 500), wait };
}

/** Reads these members and ignores all others. */
function postIn(raw: object): Message {
  const { kind, target, text, severity, wait, ...more } = raw as Partial<Record<keyof Posting, unknown>>;
  const { references, dependsOn, closureCondition, priority, confidence } = more;
  const details = { references, dependsOn, closureCondition, priority, confidence };
  return { do: 'post', kind, target, text, severity, ...details, wait: typeof wait === 'number' ? wait : 0 };
}

function actIn(raw: object): Message {
  const { record, act, text } = raw as Partial<Record<keyof Acting, unknown>>;
  return { do: 'act', record, act, text };
}

const withNonce = (handoff: unknown, nonce: string): unknown =>
  typeof handoff === 'object' && handoff !== null && !('nonce' in handoff) ? { ...handoff, nonce } : handoff;

function answerLines(socket: Socket, answer: (received: unknown) => ChannelAnswer | Promise<ChannelAnswer>): void {
  let text = '';
  const send = (reply: ChannelAnswer): void => void (socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`));
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const reply = answer(shallowJson(text.slice(0, end)));
      if (reply instanceof Promise) void reply.then(send);
      else send(reply);
      text = text.slice(end + 1);
    }
    if (text.length > lineLimit) socket.destroy();
  });
}
