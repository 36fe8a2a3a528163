import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { SupervisorRecord, Terms } from '../../ports/supervisor.ts';

export type StopReason = 'stopped' | 'timed-out';

/** Coordinator to supervisor, one JSON line each; the first line must be `attach` with the job's nonce. */
export type ControlRequest =
  | { readonly do: 'attach'; readonly nonce: string }
  | { readonly do: 'stop'; readonly reason: StopReason }
  | { readonly do: 'acknowledge' }
  | ControlQuestion;

/** Requests that the supervisor answers, by `id`. */
export type ControlQuestion =
  | { readonly do: 'tell'; readonly id: number; readonly terms: Terms }
  | { readonly do: 'send'; readonly id: number; readonly number: number; readonly text: string };

/** Supervisor to coordinator. The records themselves are in files: this only says that they are there. */
export type ControlNotice =
  | { readonly event: 'attached' | 'started' | 'noted' | 'ended' }
  | { readonly event: 'answered'; readonly id: number; readonly taken: boolean };

/** Calls `take` with each line. Lines are short and well formed, because both ends are ours and the socket is for our own uid. */
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

/** A question before it gets its `id`. */
type NewQuestion = ControlQuestion extends infer One ? (One extends ControlQuestion ? Omit<One, 'id'> : never) : never;

/** A connection to a living supervisor. */
export type SupervisorLine = {
  send(request: ControlRequest): void;
  /** Null when the supervisor has left without an answer. */
  ask(question: NewQuestion): Promise<boolean | null>;
  close(): void;
  readonly closed: Promise<void>;
};

/** Connects to a supervisor; null when none answers. `notified` is called at each notice, except answers to questions. */
export function attach(record: SupervisorRecord, notified: () => void): Promise<SupervisorLine | null> {
  return new Promise((resolve) => {
    const closed = Promise.withResolvers<void>();
    const unanswered = new Map<number, (taken: boolean | null) => void>();
    let id = 0;
    const ask: SupervisorLine['ask'] = (question) =>
      new Promise((answer) => {
        id += 1;
        if (socket.destroyed) return answer(null);
        unanswered.set(id, answer);
        send({ ...question, id });
      });
    const socket = connect(record.socket);
    const send = (request: ControlRequest): void => void socket.write(`${JSON.stringify(request)}\n`);
    socket.on('connect', () => send({ do: 'attach', nonce: record.nonce }));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve(null);
      closed.resolve();
      for (const answer of unanswered.values()) answer(null);
    });
    // The first line is the answer to `attach`; everything that happened before it is in the files.
    eachLine(socket, (line) => {
      const notice = JSON.parse(line) as ControlNotice;
      if (notice.event === 'answered') {
        unanswered.get(notice.id)?.(notice.taken);
        unanswered.delete(notice.id);
        return;
      }
      resolve({ send, ask, close: () => void socket.end(), closed: closed.promise });
      notified();
    });
  });
}
