import type { LedgerEvent } from '../domain/ledger/events.ts';

/**
 * What a client may listen to.
 *   global              everything of the repository
 *   run/<run>           one run; a session that others drive is `run/external:<session>`
 *   task/<run>/<task>   what names this task, also as one of several; in a session, the subtask
 *   agent/<attempt>     one launch of an agent, from its intent to its end; in a session, the agent id that its driver gave
 */
export const channelPattern =
  /^(?:global|run\/[!-.0-~]{1,200}|task\/[!-.0-~]{1,200}\/[!-.0-~]{1,200}|agent\/[!-.0-~]{1,400})$/;

/** Every channel that an event of the ledger goes out on. */
export function channelsOf(stream: string, event: LedgerEvent): ReadonlySet<string> {
  const ofRun = stream === 'repo' ? [] : [`run/${stream}`, ...tasksOf(event).map((task) => `task/${stream}/${task}`)];
  return new Set(['global', ...ofRun, ...agentsOf(event).map((agent) => `agent/${agent}`)]);
}

function tasksOf(event: LedgerEvent): readonly string[] {
  switch (event.type) {
    case 'candidate-built':
      return [...event.steps, ...event.conflicts].map(({ task }) => task);
    case 'external-batch-submitted':
      return event.subtasks.map(({ id }) => id);
    case 'external-subtask-updated':
    case 'external-action-recorded':
      return event.subtask === null ? [] : [event.subtask];
    default: {
      const one = 'task' in event && event.task !== null ? [event.task] : [];
      const several = 'tasks' in event ? (event.tasks ?? []) : [];
      return [...one, ...several.map((each) => (typeof each === 'string' ? each : each.task))];
    }
  }
}

function agentsOf(event: LedgerEvent): readonly string[] {
  if ('attempt' in event) return [event.attempt];
  return event.type === 'external-subtask-updated' && event.agentId !== undefined ? [event.agentId] : [];
}
