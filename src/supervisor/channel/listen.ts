import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { Executor, ExecutorCallbacks, Launch, LaunchContext } from '../../ports/executor.ts';
import type { AgentStdin, Ears } from '../job/run-fenced.ts';
import { splitLines } from './lines.ts';

export type Listening = { readonly ears: Ears; send(text: string): boolean };

/** Ears for one process of an agent: its lines become events, what it is told goes to its stdin. */
export function listen(
  follow: NonNullable<Executor['follow']>,
  context: LaunchContext,
  launch: Launch,
  on: Pick<ExecutorCallbacks, 'emit' | 'decide'>,
): Listening {
  let line: AgentStdin | null = null;
  let early = '';
  const open = new Set<string>();
  const emit = (event: AgentEvent): void => {
    noteCall(open, event);
    on.emit(event);
  };
  const write = (text: string): void => {
    if (line === null) early += text;
    else line.say(text);
  };
  const reader = follow({ ...on, emit, write, endInput: () => line?.hangUp() }, context);
  const out = splitLines(reader.line);
  const error = splitLines(reader.errorLine);
  const { opening } = launch;
  const talk = (opened: AgentStdin, first: string): void => {
    line = opened;
    opened.say(first + early);
  };
  return {
    ears: {
      out: out.write,
      error: error.write,
      over() {
        out.end();
        error.end();
      },
      isWaiting: () => open.size > 0,
      cancel: reader.cancel,
      talk: opening === null ? null : (opened) => talk(opened, opening),
    },
    send: reader.send,
  };
}

/** Calls that the agent waits for. A new answer of the model means that it waits for none. */
function noteCall(open: Set<string>, event: AgentEvent): void {
  if (event.type === 'tool-call') open.add(event.call.id);
  if (event.type === 'tool-result') open.delete(event.id);
  if (event.type === 'turn' || event.type === 'ended') open.clear();
}
