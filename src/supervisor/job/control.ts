import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import {
  type ControlNotice,
  type ControlQuestion,
  type ControlRequest,
  eachLine,
  type StopReason,
} from '../../adapters/supervisors/control-protocol.ts';

import type { Terms } from '../../ports/supervisor.ts';

type Control = AsyncDisposable & {
  notify(notice: ControlNotice): void;
  isAttended(): boolean;
};

export async function openControl(
  path: string,
  nonce: string,
  on: {
    stop(reason: StopReason): void;
    acknowledge(): void;
    attended(isAttended: boolean): void;
    tell(terms: Terms): void;
    send(number: number, text: string): boolean;
  },
): Promise<Control> {
  const attached = new Set<Socket>();
  const open = new Set<Socket>();
  const leave = (socket: Socket): void => {
    open.delete(socket);
    if (attached.delete(socket) && attached.size === 0) on.attended(false);
  };
  const answer = (question: ControlQuestion): boolean => {
    if (question.do === 'send') return on.send(question.number, question.text);
    on.tell(question.terms);
    return true;
  };
  const obey = (socket: Socket, request: ControlRequest): void => {
    if (request.do === 'attach') {
      if (request.nonce !== nonce) return void socket.destroy();
      attached.add(socket);
      on.attended(true);
      send(socket, { event: 'attached' });
    } else if (!attached.has(socket)) socket.destroy();
    else if (request.do === 'stop') on.stop(request.reason);
    else if (request.do === 'acknowledge') on.acknowledge();
    else send(socket, { event: 'answered', id: request.id, taken: answer(request) });
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
