import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { formatCursor, parseCursor } from '../../protocol/cursor.ts';
import { type ClientMessage, clientMessage, type ServerMessage } from '../../protocol/envelope.ts';
import type { Repositories } from '../site.ts';
import { textFrame } from './encoding.ts';
import type { Feeds } from './feeds.ts';
import { type Sink, sinkOf } from './sink.ts';

export type ConversationSetting = {
  readonly repositories: Pick<Repositories, 'open'>;
  readonly feeds: Feeds;
  fault(error: unknown): void;
};

/** One client on a WebSocket. */
export type Conversation = {
  beat(): void;
  hangUp(): void;
};

const mostSubscriptions = 32;
const mostMistakes = 5;
const mostUnread = 64;
/** Codes of RFC 6455 and its registry. */
const closing = { leaving: 1001, policy: 1008, fault: 1011, tryAgain: 1013 } as const;

/** Answers what a client says, one after the other. Envelopes are written past `ws` to its socket: whole frames, made once for all. */
export function converse(
  client: WebSocket,
  socket: Duplex,
  { repositories, feeds, fault }: ConversationSetting,
): Conversation {
  const subscriptions = new Map<string, () => void>();
  const open = sinkOf(socket, 'frames');
  const isOpen = (): boolean => client.readyState === client.OPEN;
  // nothing may follow the frame that closes
  const sink: Sink = { ...open, write: (bytes) => (isOpen() ? open.write(bytes) : undefined) };
  let [mistakes, unread, missed] = [0, 0, 0];
  let last = Promise.resolve();

  const say = (message: ServerMessage): void => sink.write(textFrame(JSON.stringify(message)));
  const complain = (reason: string, detail: string): void => {
    say({ type: 'error', reason, detail });
    mistakes += 1;
    if (mistakes >= mostMistakes) client.close(closing.policy, 'too many mistakes');
  };

  const subscribe = async ({ repository, channel, after }: ClientMessage & { type: 'subscribe' }): Promise<void> => {
    const key = `${repository} ${channel}`;
    if (subscriptions.has(key)) return complain('subscribed-already', `${channel} of ${repository} is subscribed to`);
    if (subscriptions.size >= mostSubscriptions || !feeds.hasRoom())
      return complain('full', 'no more subscriptions are taken');
    const found = await repositories.open(repository);
    if (found === null) return complain('unknown-repository', `there is no repository ${repository} here`);
    const feed = feeds.of(found);
    const from = await feed.place(after === undefined ? null : parseCursor(after));
    if (from === null) return complain('bad-cursor', 'the ledger has not come so far; begin again without a cursor');
    if (!isOpen()) return;
    say({ type: 'subscribed', repository, channel, after: formatCursor(from) });
    const leave = feed.follow({
      channel,
      after: from,
      sink,
      dropped: (resume, why) => {
        say({ type: 'dropped', repository, channel, resume: formatCursor(resume), why });
        client.close(closing.tryAgain, 'too slow');
      },
    });
    subscriptions.set(key, leave);
  };
  const unsubscribe = async (repository: string, channel: string): Promise<void> => {
    const key = `${repository} ${channel}`;
    const leave = subscriptions.get(key);
    if (leave === undefined) return complain('not-subscribed', `${channel} of ${repository} is not subscribed to`);
    leave();
    subscriptions.delete(key);
    say({ type: 'unsubscribed', repository, channel });
  };
  const answer = async (data: RawData, isBinary: boolean): Promise<void> => {
    const message = isBinary ? null : parse(data);
    if (message === null) return complain('not-understood', 'say subscribe, unsubscribe or ping; see /asyncapi.json');
    switch (message.type) {
      case 'subscribe':
        return await subscribe(message);
      case 'unsubscribe':
        return await unsubscribe(message.repository, message.channel);
      case 'ping':
        return say({ type: 'pong' });
    }
  };

  client.on('message', (data, isBinary) => {
    unread += 1;
    if (unread > mostUnread) return client.close(closing.policy, 'too many messages at once');
    last = last
      .then(() => (isOpen() ? answer(data, isBinary) : undefined))
      .catch((error: unknown) => {
        fault(error);
        client.close(closing.fault, 'something went wrong here');
      })
      .finally(() => {
        unread -= 1;
      });
  });
  client.on('pong', () => {
    missed = 0;
  });
  // what kept it from going on is told by the close that follows
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
      say({ type: 'heartbeat', timestamp: Date.now() });
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
