import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { streamPath, streamProtocol } from '../../protocol/envelope.ts';
import { problem } from '../../protocol/problem.ts';
import { refuseUpgrade } from '../http/reply.ts';
import { type Conversation, type ConversationSetting, converse } from './conversation.ts';

/** WebSockets. Disposed of, it hangs up on all clients. */
export interface Sockets extends AsyncDisposable {
  /** Of one whom the guard has let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** On all who are there now; whoever comes again is judged again. */
  hangUp(): void;
}

const mostClients = 500;

export function socketsOf(setting: ConversationSetting): Sockets {
  const handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: 4 << 10,
    perMessageDeflate: false,
    // never the one with the token in it
    handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
  });
  const clients = new Set<Conversation>();
  const hangUp = (): void => {
    for (const client of clients) client.hangUp();
  };
  const heart = setInterval(() => {
    for (const { beat } of clients) beat();
  }, setting.feeds.limits.heartbeatMs);
  return {
    accept(request, socket, head) {
      if (request.url !== streamPath) return refuseUpgrade(socket, noSuchPath);
      if (clients.size >= mostClients) return refuseUpgrade(socket, full);
      handshakes.handleUpgrade(request, socket, head, (client) => {
        const conversation = converse(client, socket, setting);
        clients.add(conversation);
        client.once('close', () => clients.delete(conversation));
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
const full = problem(503, 'full', 'no more WebSockets are taken', { next: 'close some of them' });
