import { connect } from 'node:net';
import type { SupervisorRecord } from '../../ports/supervisor.ts';
import { type ControlRequest, eachLine } from './control-protocol.ts';

/** A connection to a living supervisor. */
export type Line = {
  send(request: ControlRequest): void;
  close(): void;
  readonly closed: Promise<void>;
};

/** null when nobody answers there. `notified` is called for whatever the supervisor has to say. */
export function attach(record: SupervisorRecord, notified: () => void): Promise<Line | null> {
  return new Promise((resolve) => {
    const closed = Promise.withResolvers<void>();
    const socket = connect(record.socket);
    const send = (request: ControlRequest): void => void socket.write(`${JSON.stringify(request)}\n`);
    socket.on('connect', () => send({ do: 'attach', nonce: record.nonce }));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve(null);
      closed.resolve();
    });
    // The first line is the answer to `attach`; everything that happened before it is in the files.
    eachLine(socket, () => {
      resolve({ send, close: () => void socket.end(), closed: closed.promise });
      notified();
    });
  });
}
