import { chmodSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  type ControlNotice,
  type ControlQuestion,
  type ControlRequest,
  eachLine,
  type StopReason,
} from '../../adapters/supervisors/control-protocol.ts';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { Terms } from '../../ports/supervisor.ts';
import { type KnownSecrets, redactTexts } from '../output/redact.ts';

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

export type Notes = {
  /** Durable when it returns. False: there are too many already. */
  add(note: AgentNote): boolean;
};

const most = 500;

/** `notes.jsonl`: the little that belongs into the ledger while an attempt is under way. No value of `secrets` is in it. */
export function openNotes(directory: string, secrets: KnownSecrets, noted: () => void): Notes {
  let file: number | null = null;
  let number = 0;
  return {
    add(note) {
      if (number >= most) return false;
      file ??= openSync(join(directory, 'notes.jsonl'), 'a', 0o600);
      number += 1;
      writeSync(file, `${JSON.stringify({ number, note: redactTexts(note, secrets()) })}\n`);
      fsyncSync(file);
      noted();
      return true;
    },
  };
}
