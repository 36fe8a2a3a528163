import type { LedgerEvent } from '../domain/events.ts';

/**
 * What a client may listen to.
 *   global              everything of the repository
 *   run/<run>           one run; a session that others drive is `run/external:<session>`
 *   task/<run>/<task>   what names this task, also as one of several
 *   agent/<attempt>     one launch of an agent, from its intent to its end
 */
export const channelPattern =
  /^(?:global|run\/[!-.0-~]{1,200}|task\/[!-.0-~]{1,200}\/[!-.0-~]{1,200}|agent\/[!-.0-~]{1,400})$/;

/** Every channel that an event of the ledger goes out on. */
export function channelsOf(stream: string, event: LedgerEvent): ReadonlySet<string> {
  const ofRun = stream === 'repo' ? [] : [`run/${stream}`, ...tasksOf(event).map((task) => `task/${stream}/${task}`)];
  const ofAgent = 'attempt' in event ? [`agent/${event.attempt}`] : [];
  return new Set(['global', ...ofRun, ...ofAgent]);
}

function tasksOf(event: LedgerEvent): readonly string[] {
  const one = 'task' in event && event.task !== null ? [event.task] : [];
  const several =
    'tasks' in event ? (event.tasks ?? []).map((each) => (typeof each === 'string' ? each : each.task)) : [];
  const candidate =
    event.type === 'candidate-built' ? [...event.steps, ...event.conflicts].map(({ task }) => task) : [];
  return [...one, ...several, ...candidate];
}
