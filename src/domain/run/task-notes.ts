import type { AgentNote } from '../agents/agent-note.ts';
import { noUsage } from '../tool-calls/agent-event.ts';
import { type AgentSession, type LiveAttempt, liveAttempt, type TaskState } from './task.ts';

/** A path outside of its scope that an agent asked for, and why, in its own words. */
export type PathRequest = { readonly path: string; readonly why: string };

/** What a note changes of the attempt under way. */
export function noted(attempt: LiveAttempt, note: AgentNote): Partial<LiveAttempt> {
  switch (note.note) {
    case 'usage':
      return { usage: note.usage };
    case 'asked': {
      const fresh = note.paths.filter((path) => !attempt.requested.some((request) => request.path === path));
      return { requested: [...attempt.requested, ...fresh.map((path) => ({ path, why: note.why }))] };
    }
    default:
      return {};
  }
}

/** What a note changes of the task, beyond the attempt under way. */
export function withNote(state: TaskState, note: AgentNote): TaskState {
  const attempt = liveAttempt(state);
  if (attempt === null) return state;
  switch (note.note) {
    case 'started':
      return { ...state, session: sessionAfter(state, attempt, note.session) };
    case 'heard':
      return { ...state, heard: [...state.heard, { request: note.request, attempt: attempt.id }] };
    default:
      return state;
  }
}

function sessionAfter(state: TaskState, attempt: LiveAttempt, session: string | null): AgentSession | null {
  if (session === null) return state.session;
  if (attempt.session?.id === session) return attempt.session;
  return { id: session, job: attempt.id, usage: noUsage };
}
