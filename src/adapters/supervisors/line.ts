import { connect } from 'node:net';
import type { SupervisorRecord } from '../../ports/supervisor.ts';
import { type ControlNotice, type ControlQuestion, type ControlRequest, eachLine } from './control-protocol.ts';

type Asked = ControlQuestion extends infer One ? (One extends ControlQuestion ? Omit<One, 'id'> : never) : never;

/** A connection to a living supervisor. */
export type SupervisorLine = {
  send(request: ControlRequest): void;
  /** Null: the supervisor has left without an answer. */
  ask(question: Asked): Promise<boolean | null>;
  close(): void;
  readonly closed: Promise<void>;
};

/** null when nobody answers there. `notified` is called for whatever the supervisor has to say. */
export function attach(record: SupervisorRecord, notified: () => void): Promise<SupervisorLine | null> {
  return new Promise((resolve) => {
    const closed = Promise.withResolvers<void>();
    const asked = new Map<number, (taken: boolean | null) => void>();
    let id = 0;
    const ask: SupervisorLine['ask'] = (question) =>
      new Promise((answer) => {
        id += 1;
        if (socket.destroyed) return answer(null);
        asked.set(id, answer);
        send({ ...question, id });
      });
    const socket = connect(record.socket);
    const send = (request: ControlRequest): void => void socket.write(`${JSON.stringify(request)}\n`);
    socket.on('connect', () => send({ do: 'attach', nonce: record.nonce }));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve(null);
      closed.resolve();
      for (const answer of asked.values()) answer(null);
    });
    // The first line is the answer to `attach`; everything that happened before it is in the files.
    eachLine(socket, (line) => {
      const notice = JSON.parse(line) as ControlNotice;
      if (notice.event === 'answered') {
        asked.get(notice.id)?.(notice.taken);
        asked.delete(notice.id);
        return;
      }
      resolve({ send, ask, close: () => void socket.end(), closed: closed.promise });
      notified();
    });
  });
}
