import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import {
  type ClientMessage,
  clientMessage,
  formatCursor,
  parseCursor,
  type ServerMessage,
  streamPath,
  streamProtocol,
} from '../../protocol/envelope.ts';
import { problem } from '../../protocol/problem.ts';
import { refuseUpgrade } from '../http/reply.ts';
import type { Repositories } from '../site.ts';
import { textFrame } from './encoded-event.ts';
import type { Feeds } from './feed.ts';
import { type Sink, sinkOf } from './sink.ts';

/** All WebSockets of the server. Disposing disconnects every client. */
export interface Sockets extends AsyncDisposable {
  /** Upgrades a request that the guard has let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Disconnects every client. The guard judges those that come again. */
  hangUp(): void;
}

const mostClients = 500;

export function socketsOf(options: SocketOptions): Sockets {
  const handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: 4 << 10,
    perMessageDeflate: false,
    // never the protocol that carries the token
    handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
  });
  const clients = new Set<Client>();
  const hangUp = (): void => {
    for (const client of clients) client.hangUp();
  };
  const heart = setInterval(() => {
    for (const { beat } of clients) beat();
  }, options.feeds.limits.heartbeatMs);
  return {
    accept(request, socket, head) {
      if (request.url !== streamPath) return refuseUpgrade(socket, noSuchPath);
      if (clients.size >= mostClients) return refuseUpgrade(socket, full);
      handshakes.handleUpgrade(request, socket, head, (client) => {
        const served = serveClient(client, socket, options);
        clients.add(served);
        client.once('close', () => clients.delete(served));
      });
    },
    hangUp,
    async [Symbol.asyncDispose]() {
      clearInterval(heart);
      hangUp();
    },
  };
}

const noSuchPath = problem(404, 'no-route', `the only WebSocket here is at ${streamPath}`);
const full = problem(503, 'full', 'too many WebSockets are open', { next: 'close some of them' });

type SocketOptions = {
  readonly repositories: Pick<Repositories, 'open'>;
  readonly feeds: Feeds;
  fault(error: unknown): void;
};

type Client = {
  /** Sends a sign of life; disconnects a client that missed two. */
  beat(): void;
  hangUp(): void;
};

const mostSubscriptions = 32;
const mostMistakes = 5;
const mostUnread = 64;
/** Codes of RFC 6455 and its registry. */
const closing = { leaving: 1001, policy: 1008, fault: 1011, tryAgain: 1013 } as const;

/** Answers the messages of a client in order. Envelopes bypass `ws`: whole frames are made once for all clients. */
function serveClient(client: WebSocket, socket: Duplex, { repositories, feeds, fault }: SocketOptions): Client {
  const subscriptions = new Map<string, () => void>();
  const open = sinkOf(socket, 'frames');
  const isOpen = (): boolean => client.readyState === client.OPEN;
  // nothing may follow the closing frame
  const sink: Sink = { ...open, write: (bytes) => (isOpen() ? open.write(bytes) : undefined) };
  let [mistakes, unread, missed] = [0, 0, 0];
  let last = Promise.resolve();

  const send = (message: ServerMessage): void => sink.write(textFrame(JSON.stringify(message)));
  const refuse = (reason: string, detail: string): void => {
    send({ type: 'error', reason, detail });
    mistakes += 1;
    if (mistakes >= mostMistakes) client.close(closing.policy, 'too many mistakes');
  };

  const subscribe = async ({ repository, channel, after }: ClientMessage & { type: 'subscribe' }): Promise<void> => {
    const key = `${repository} ${channel}`;
    if (subscriptions.has(key))
      return refuse('subscribed-already', `${channel} of ${repository} is already subscribed to`);
    if (subscriptions.size >= mostSubscriptions || !feeds.hasRoom())
      return refuse('full', 'there are too many subscriptions');
    const served = await repositories.open(repository);
    if (served === null) return refuse('unknown-repository', `there is no repository ${repository}`);
    const feed = feeds.of(served);
    const from = await feed.place(after === undefined ? null : parseCursor(after));
    if (from === null)
      return refuse('bad-cursor', 'the cursor is beyond the end of the ledger; subscribe without a cursor');
    if (!isOpen()) return;
    send({ type: 'subscribed', repository, channel, after: formatCursor(from) });
    const leave = feed.follow({
      channel,
      after: from,
      sink,
      dropped: (resume, why) => {
        send({ type: 'dropped', repository, channel, resume: formatCursor(resume), why });
        client.close(closing.tryAgain, 'too slow');
      },
    });
    subscriptions.set(key, leave);
  };
  const unsubscribe = async (repository: string, channel: string): Promise<void> => {
    const key = `${repository} ${channel}`;
    const leave = subscriptions.get(key);
    if (leave === undefined) return refuse('not-subscribed', `${channel} of ${repository} is not subscribed to`);
    leave();
    subscriptions.delete(key);
    send({ type: 'unsubscribed', repository, channel });
  };
  const answer = async (data: RawData, isBinary: boolean): Promise<void> => {
    const message = isBinary ? null : parse(data);
    if (message === null)
      return refuse('not-understood', 'expected subscribe, unsubscribe or ping; see /asyncapi.json');
    switch (message.type) {
      case 'subscribe':
        return await subscribe(message);
      case 'unsubscribe':
        return await unsubscribe(message.repository, message.channel);
      case 'ping':
        return send({ type: 'pong' });
    }
  };

  client.on('message', (data, isBinary) => {
    unread += 1;
    if (unread > mostUnread) return client.close(closing.policy, 'too many messages at once');
    last = last
      .then(() => (isOpen() ? answer(data, isBinary) : undefined))
      .catch((error: unknown) => {
        fault(error);
        client.close(closing.fault, 'internal error');
      })
      .finally(() => {
        unread -= 1;
      });
  });
  client.on('pong', () => {
    missed = 0;
  });
  // the close that follows handles the failure
  client.on('error', () => undefined);
  client.once('close', () => {
    for (const leave of subscriptions.values()) leave();
    subscriptions.clear();
  });
  return {
    beat() {
      if (missed >= 2) return client.terminate();
      missed += 1;
      if (!isOpen()) return;
      client.ping();
      send({ type: 'heartbeat', timestamp: Date.now() });
    },
    hangUp() {
      client.close(closing.leaving, 'the server ends');
      client.terminate();
    },
  };
}

function parse(data: RawData): ClientMessage | null {
  const parsed = clientMessage.safeParse(jsonOf(String(data)));
  return parsed.success ? parsed.data : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
