import { noUsage } from './agent-event.ts';
import type { AgentNote } from './agent-note.ts';
import type { AgentSession, Attempt, TaskState } from './task.ts';

export type Asked = { readonly path: string; readonly why: string };

/** What a note of the attempt under way changes of its task. */
export function noted(state: TaskState, note: AgentNote, attempt: Attempt | null): Partial<TaskState> {
  switch (note.note) {
    case 'started':
      return { session: sessionAfter(state, note, attempt) };
    case 'usage':
      return { now: note.usage };
    case 'asked': {
      const fresh = note.paths.filter((path) => !state.asked.some((asked) => asked.path === path));
      return { asked: [...state.asked, ...fresh.map((path) => ({ path, why: note.why }))] };
    }
    case 'heard':
      return attempt === null ? {} : { heard: [...state.heard, { request: note.request, attempt: attempt.id }] };
    case 'denied':
    case 'posted':
    case 'tripped':
    case 'trouble':
    case 'turns-near':
      return {};
  }
}

function sessionAfter(
  state: TaskState,
  { session }: AgentNote & { readonly note: 'started' },
  attempt: Attempt | null,
): AgentSession | null {
  if (session === null || attempt === null) return state.session;
  if (attempt.session?.id === session) return attempt.session;
  return { id: session, job: attempt.id, usage: noUsage };
}
