import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { callId, isAside, markerOf, placeOf } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import { serve } from './fault.ts';
import { gemini } from './gemini.ts';
import type { Json } from './json.ts';
import { type ModelRequest, requestLog } from './request-log.ts';
import { responses } from './responses.ts';
import { faultFor, over, type Script, type Turn } from './script.ts';
import { translate } from './tools.ts';

/** A model that says what its scripts say, in the dialect it is asked in. Every request is kept, whole. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly port: number;
  /** An address that names the script, for agents that may lose their prompt on the way. */
  urlOf(script: string): string;
  /** Adds a script, or replaces the one of that name. */
  play(name: string, script: Script): void;
  /** What the model was told so far, side requests included; of all scripts when none is named. */
  requests(script?: string): readonly ModelRequest[];
  /** The first request that fits, past or future. */
  waitFor(script: string, fits: (request: ModelRequest) => boolean): Promise<ModelRequest>;
  /** Lets every answer go that hangs in this script. */
  release(script: string): void;
}

export interface ModelServerOptions {
  readonly port?: number;
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly onRequest?: (request: ModelRequest) => void;
}

export async function modelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const scripts = new Map(Object.entries(options.scripts ?? {}));
  const log = requestLog(options.onRequest);
  const hanging = new Map<string, Set<() => void>>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, prefixed } = addressOf(request.url ?? '/');
    const body = await bodyOf(request);
    const about = { method: request.method ?? '', path, headers: request.headers, body };
    const dialect = dialectOf(path);
    if (dialect === null || request.method !== 'POST') {
      log.add({ ...about, script: prefixed, dialect: null, turn: null, attempt: 0, side: true, problem: null });
      return sendJson(response, ...besides(path));
    }
    const asked = dialect.read(body);
    const streaming = dialect === gemini ? path.includes(':streamGenerateContent') : asked.stream;
    const { script, turn } = placeOf(asked.said, prefixed ?? keyed(request));
    const side = isAside(asked);
    const attempt = side ? 0 : log.ofTurn(script, turn);
    const scripted: Turn = side ? aside(script, turn) : turnOf(scripts, script, turn);
    const made = attemptTo(() =>
      (scripted.calls ?? []).map((call, at) => translate(call, asked.tools, callId(turn, at))),
    );
    log.add({ ...about, script, dialect: dialect.name, turn, attempt, side, problem: made.problem });
    if (made.problem !== null) return sendJson(response, 400, dialect.failure(400, made.problem));
    const reply = {
      id: `answer_${script ?? 'none'}_${turn}_${attempt}`,
      model: asked.model || (/models\/([^:/]+):/.exec(path)?.[1] ?? 'scripted-model'),
      text: scripted.text ?? '',
      calls: made.value,
      usage: scripted.usage ?? { input: 100, output: 10 },
    };
    await serve({
      dialect,
      reply,
      streaming,
      response,
      fault: side ? null : faultFor(scripted, attempt),
      pace: scripted.pace ?? 0,
      released: () => released(script ?? '', response),
    });
  }

  function released(script: string, response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const waiting = hanging.get(script) ?? new Set();
      hanging.set(script, waiting.add(resolve));
      response.once('close', () => {
        waiting.delete(resolve);
        resolve();
      });
    });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    urlOf: (script) => `http://127.0.0.1:${port}/s/${script}`,
    play: (name, script) => void scripts.set(name, script),
    requests: log.of,
    waitFor: log.waitFor,
    release(script) {
      for (const letGo of hanging.get(script) ?? []) letGo();
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A summary takes the place of what was said: it has to carry the script on. */
const aside = (script: string | null, turn: number): Turn => ({
  text: `A scripted session${script === null ? '' : ` ${markerOf(script, turn)}`}`,
});

function turnOf(scripts: ReadonlyMap<string, Script>, script: string | null, turn: number): Turn {
  if (script === null) return { text: 'No script was named.' };
  const played = scripts.get(script);
  return played === undefined ? { text: `There is no script ${script}.` } : (played.turns[turn] ?? over);
}

function dialectOf(path: string): Dialect | null {
  const [route = ''] = path.split('?');
  if (route.endsWith('/messages')) return anthropic;
  if (route.endsWith('/responses')) return responses;
  if (route.endsWith('/chat/completions')) return chat;
  return /:(generate|streamGenerate)Content$/.test(route) ? gemini : null;
}

/** What agents ask besides answers: models, token counts, whether anybody is there. */
function besides(path: string): readonly [number, object] {
  const [route = ''] = path.split('?');
  if (route.endsWith('/count_tokens')) return [200, { input_tokens: 100 }];
  if (route.endsWith(':countTokens')) return [200, { totalTokens: 100 }];
  if (route.endsWith('/models')) return [200, { object: 'list', data: [], models: [], has_more: false }];
  return route === '/'
    ? [200, {}]
    : [404, { error: { type: 'not_found_error', message: `no such address: ${route}` } }];
}

/** `/s/NAME/…` names a script for prompts that cannot. */
function addressOf(url: string): { readonly path: string; readonly prefixed: string | null } {
  const found = /^\/s\/([\w.-]+)(\/.*)$/.exec(url);
  return found === null ? { path: url, prefixed: null } : { path: found[2] ?? '/', prefixed: found[1] ?? null };
}

/** So does a key `script.NAME`. */
function keyed({ headers }: IncomingMessage): string | null {
  const keys = [headers['x-api-key'], headers.authorization, headers['x-goog-api-key']].map(String);
  return keys.map((key) => /(?:^|Bearer )script\.([\w.-]+)$/.exec(key)?.[1]).find((name) => name !== undefined) ?? null;
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const raw = Buffer.concat(parts).toString('utf8');
  return raw === '' ? null : (JSON.parse(raw) as Json);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

type Attempted<Value> =
  | { readonly problem: null; readonly value: Value }
  | { readonly problem: string; readonly value: null };

function attemptTo<Value>(make: () => Value): Attempted<Value> {
  try {
    return { problem: null, value: make() };
  } catch (error) {
    return { problem: (error as Error).message, value: null };
  }
}
