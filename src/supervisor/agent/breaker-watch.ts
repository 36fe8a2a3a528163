import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { evolveBreaker, newBreaker, spiralWarning, stopDue, type Trip } from '../../domain/breaker/breaker.ts';
import type { AgentEvent, ToolCall } from '../../domain/tool-calls/agent-event.ts';
import type { ToolPlace } from '../../domain/tool-calls/tool-scope.ts';
import type { AgentJob } from '../../ports/supervisor.ts';
import type { JobContext } from '../job/context.ts';

type BreakerWatch = {
  /** Returns the trips that follow from an event, including those of the files that it changed. */
  take(event: AgentEvent): readonly Trip[];
  /** The warning that the agent has not had yet; returned once. */
  advice(): string | null;
  /** Sets a function that sends warnings at once instead. */
  advise(say: (text: string) => void): void;
};

const remembered = 32;

/** Feeds the breaker with the agent's calls and its files. Warns the agent at a trip, and ends it if it continues. */
export function watchBreaker(
  agent: AgentJob,
  context: Pick<JobContext, 'end'> & {
    readonly files: { readonly workspace: string };
    readonly place: ToolPlace;
  },
): BreakerWatch {
  const workspace = { inside: context.place.workspace, here: context.files.workspace };
  let state = newBreaker(workspace.inside);
  let waiting: string | null = null;
  let say: ((text: string) => void) | null = null;
  const writes = new Map<string, ToolCall>();
  const count = (event: AgentEvent): readonly Trip[] => {
    const { state: next, trip } = evolveBreaker(state, event);
    state = next;
    if (trip === null) return [];
    const text = spiralWarning(trip);
    if (stopDue(state, agent.breaker === 'strict')) context.end('spiral', { rule: 'spiral', ...trip });
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

const largest = 4 << 20;

/**
 * Reads a file of the workspace for the breaker. The agent is alive and may replace anything meanwhile: only a plain file below the
 * workspace is read, and only its digest is used. Null when that is not possible.
 */
function seenFile(
  path: string,
  /** The path inside the fence, and the same directory outside. */
  workspace: { readonly inside: string; readonly here: string },
): (AgentEvent & { readonly type: 'file-seen' }) | null {
  const name = isAbsolute(path) ? relative(workspace.inside, path) : path;
  if (name === '' || name.startsWith('..') || isAbsolute(name)) return null;
  let descriptor: number;
  try {
    const found = realpathSync(join(workspace.here, name));
    if (!found.startsWith(`${workspace.here}/`)) return null;
    descriptor = openSync(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'ENOENT' ? { type: 'file-seen', path, digest: null } : null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > largest) return null;
    const buffer = Buffer.alloc(stats.size);
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return { type: 'file-seen', path, digest: createHash('sha256').update(buffer.subarray(0, length)).digest('hex') };
  } finally {
    closeSync(descriptor);
  }
}
