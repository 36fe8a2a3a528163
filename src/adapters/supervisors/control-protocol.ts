import type { Socket } from 'node:net';
import type { Terms } from '../../ports/supervisor.ts';

export type StopReason = 'stopped' | 'timed-out';

/** Coordinator to supervisor, one JSON line each; the first line must be `attach` with the job's nonce. */
export type ControlRequest =
  | { readonly do: 'attach'; readonly nonce: string }
  | { readonly do: 'stop'; readonly reason: StopReason }
  | { readonly do: 'acknowledge' }
  | ControlQuestion;

/** These are answered, by `id`. */
export type ControlQuestion =
  | { readonly do: 'tell'; readonly id: number; readonly terms: Terms }
  | { readonly do: 'send'; readonly id: number; readonly number: number; readonly text: string };

/** Supervisor to coordinator. The records themselves are in files: this only says that they are there. */
export type ControlNotice =
  | { readonly event: 'attached' | 'started' | 'noted' | 'ended' }
  | { readonly event: 'answered'; readonly id: number; readonly taken: boolean };

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
