import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

export type StopReason = 'stopped' | 'timed-out';

/** Coordinator to supervisor, one JSON line each; the first line must be `attach` with the job's nonce. */
export type ControlRequest =
  | { readonly do: 'attach'; readonly nonce: string }
  | { readonly do: 'stop'; readonly reason: StopReason }
  | { readonly do: 'acknowledge' };

/** Supervisor to coordinator. The records themselves are in files: this only says that they are there. */
export type ControlNotice = { readonly event: 'attached' | 'started' | 'ended' };

export type Control = AsyncDisposable & {
  notify(notice: ControlNotice): void;
  isAttended(): boolean;
};

export async function openControl(
  path: string,
  nonce: string,
  on: { stop(reason: StopReason): void; acknowledge(): void; attended(isAttended: boolean): void },
): Promise<Control> {
  const attached = new Set<Socket>();
  const open = new Set<Socket>();
  const leave = (socket: Socket): void => {
    open.delete(socket);
    if (attached.delete(socket) && attached.size === 0) on.attended(false);
  };
  const obey = (socket: Socket, request: ControlRequest): void => {
    if (request.do === 'attach') {
      if (request.nonce !== nonce) return void socket.destroy();
      attached.add(socket);
      on.attended(true);
      send(socket, { event: 'attached' });
    } else if (!attached.has(socket)) socket.destroy();
    else if (request.do === 'stop') on.stop(request.reason);
    else on.acknowledge();
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => leave(socket));
    eachLine(socket, (line) => obey(socket, JSON.parse(line) as ControlRequest));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return {
    notify(notice) {
      for (const socket of attached) send(socket, notice);
    },
    isAttended: () => attached.size > 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const send = (socket: Socket, notice: ControlNotice): void => void socket.write(`${JSON.stringify(notice)}\n`);

/** Both ends are ours and the socket is for our own uid: lines are short and well formed. */
export function eachLine(socket: Socket, take: (line: string) => void): void {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      take(line);
    }
  });
}
