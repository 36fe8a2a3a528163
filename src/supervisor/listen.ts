import type { Executor, Launch, Seat, Talk } from '../ports/executor.ts';
import { splitLines } from './lines.ts';
import type { Ears, Line } from './run-fenced.ts';

export type Listening = { readonly ears: Ears; send(text: string): boolean };

/** Ears for one process of an agent: its lines become events, what it is told goes to its stdin. */
export function listen(
  follow: NonNullable<Executor['follow']>,
  seat: Seat,
  launch: Launch,
  on: Pick<Talk, 'tell' | 'decide'>,
): Listening {
  let line: Line | null = null;
  const reader = follow({ ...on, say: (text) => line?.say(text), hangUp: () => line?.hangUp() }, seat);
  const out = splitLines(reader.line);
  const error = splitLines(reader.errorLine);
  const { opening } = launch;
  const talk = (opened: Line, first: string): void => {
    line = opened;
    opened.say(first);
  };
  return {
    ears: {
      out: out.write,
      error: error.write,
      over() {
        out.end();
        error.end();
      },
      talk: opening === null ? null : (opened) => talk(opened, opening),
    },
    send: reader.send,
  };
}
