import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Slow or endless requests are ended, however many there are. */
export const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 << 10,
};
/** The same for what comes before the first byte of HTTP. */
export const tlsBounds = { handshakeTimeout: 10_000 };

const mostStrangers = 512;
const most = 4_096;

export type Connections = {
  /** Something is being answered on it. */
  busy(request: IncomingMessage, response: ServerResponse): void;
  /** It has shown a token. */
  known(socket: Duplex): void;
};

/**
 * Keeps places for those who have a token. Of connections that have shown none the oldest goes when there are too many, and one
 * that sent what is no HTTP is closed on both sides: who says nothing, or never hangs up, keeps nobody out.
 */
export function watchConnections(server: Server, { secure }: { readonly secure: boolean }): Connections {
  const strangers = new Set<Duplex>();
  const answering = new WeakSet<Duplex>();
  server.maxConnections = most;
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > mostStrangers) oldest?.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // an answer in the middle of another one would be taken for it
    if (socket.writable && !answering.has(socket))
      socket.write(`HTTP/1.1 ${statusOf(error)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    socket.destroy();
  });
  return {
    busy: ({ socket }, response) => {
      answering.add(socket);
      response.once('close', () => answering.delete(socket));
    },
    known: (socket) => void strangers.delete(socket),
  };
}

function statusOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}
