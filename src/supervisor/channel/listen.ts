import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { Executor, ExecutorCallbacks, Launch, LaunchContext } from '../../ports/executor.ts';
import type { AgentStdin, JobCallbacks } from '../job/run-fenced.ts';

export type Listening = { readonly callbacks: JobCallbacks; send(text: string): boolean };

/** Listens to one process of an agent: its lines become events, and messages go to its stdin. */
export function listen(
  follow: NonNullable<Executor['follow']>,
  context: LaunchContext,
  launch: Launch,
  on: Pick<ExecutorCallbacks, 'emit' | 'decide'>,
): Listening {
  let input: AgentStdin | null = null;
  let early = '';
  const open = new Set<string>();
  const reader = follow(
    {
      decide: on.decide,
      emit(event) {
        noteCall(open, event);
        on.emit(event);
      },
      write(text) {
        if (input === null) early += text;
        else input.write(text);
      },
      endInput: () => input?.end(),
    },
    context,
  );
  const out = splitLines(reader.line);
  const error = splitLines(reader.errorLine);
  const { opening } = launch;
  const begin = (opened: AgentStdin, first: string): void => {
    input = opened;
    opened.write(first + early);
  };
  return {
    callbacks: {
      out: out.write,
      error: error.write,
      over() {
        out.end();
        error.end();
      },
      isWaiting: () => open.size > 0,
      cancel: reader.cancel,
      onInput: opening === null ? null : (opened) => begin(opened, opening),
    },
    send: reader.send,
  };
}

/** Keeps the calls that the agent waits for. A new answer of the model means that it waits for none. */
function noteCall(open: Set<string>, event: AgentEvent): void {
  if (event.type === 'tool-call') open.add(event.call.id);
  if (event.type === 'tool-result') open.delete(event.id);
  if (event.type === 'turn' || event.type === 'ended') open.clear();
}

const longestLine = 16 << 20;

/**
 * Splits chunks into whole lines. A line that is longer than any document of an agent is dropped, so that memory stays bounded; the log
 * has it.
 */
function splitLines(take: (line: string) => void) {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;
  const flush = (): void => {
    if (!skipping && size > 0) take(Buffer.concat(parts).toString('utf8').replace(/\r$/, ''));
    parts = [];
    size = 0;
    skipping = false;
  };
  return {
    write(chunk: Uint8Array): void {
      let from = 0;
      for (let end = chunk.indexOf(10, from); end >= 0; end = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, end));
        flush();
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    /** Passes on the rest after the last line end. */
    end: flush,
  };
  function keep(piece: Uint8Array): void {
    if (piece.length === 0 || skipping) return;
    size += piece.length;
    skipping = size > longestLine;
    // copied: the chunk's buffer is used again
    if (skipping) parts = [];
    else parts.push(Buffer.from(piece));
  }
}
