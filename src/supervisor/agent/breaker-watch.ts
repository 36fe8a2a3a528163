import { evolveBreaker, newBreaker, stopDue, type Trip, tellAgent } from '../../domain/breaker/breaker.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { AgentEvent, ToolCall } from '../../domain/tool-calls/agent-event.ts';
import type { ToolPlace } from '../../domain/tool-calls/tool-scope.ts';
import type { AgentJob } from '../../ports/supervisor.ts';
import { seenFile } from './seen-file.ts';

type BreakerWatch = {
  /** The trips that follow from an event, those of the files that it changed included. */
  take(event: AgentEvent): readonly Trip[];
  /** What the agent is to be told and has not been yet; once. */
  advice(): string | null;
  /** The way by which it is told at once instead. */
  advise(say: (text: string) => void): void;
};

const remembered = 32;

/** Feeds the breaker with what the agent does and what its files hold; tells the agent of a trip, and ends it when it goes on. */
export function watchBreaker(
  agent: AgentJob,
  order: {
    readonly files: { readonly workspace: string };
    readonly place: ToolPlace;
    end(reason: Ending['reason'], because: Finding): void;
  },
): BreakerWatch {
  const workspace = { inside: order.place.workspace, here: order.files.workspace };
  let state = newBreaker(workspace.inside);
  let waiting: string | null = null;
  let say: ((text: string) => void) | null = null;
  const writes = new Map<string, ToolCall>();
  const count = (event: AgentEvent): readonly Trip[] => {
    const { state: next, trip } = evolveBreaker(state, event);
    state = next;
    if (trip === null) return [];
    const text = tellAgent(trip);
    if (stopDue(state, agent.breaker === 'strict')) order.end('spiral', { rule: 'spiral', ...trip });
    else if (say !== null) say(text);
    else waiting = text;
    return [trip];
  };
  return {
    take(event) {
      if (event.type === 'tool-call' && event.call.kind === 'write') {
        writes.set(event.call.id, event.call);
        for (const id of [...writes.keys()].slice(0, -remembered)) writes.delete(id);
      }
      const written = event.type === 'tool-result' ? (writes.get(event.id)?.paths ?? []) : [];
      if (event.type === 'tool-result') writes.delete(event.id);
      const seen = written.flatMap((path) => seenFile(path, workspace) ?? []);
      return [event, ...seen].flatMap(count);
    },
    advice() {
      const text = waiting;
      waiting = null;
      return text;
    },
    advise(way) {
      say = way;
    },
  };
}
