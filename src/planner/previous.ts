import type { Session } from '../domain/external/session.ts';
import type { Previous } from './craft-prompt.ts';

/** What the settled subtasks of a session came to, those of earlier waves first. With a wave, only of waves before it. */
export function previousOf({ subtasks }: Session, before: number | null): readonly Previous[] {
  return subtasks
    .filter(({ wave }) => before === null || wave < before)
    .filter(({ progress }) => progress.status === 'completed' || progress.status === 'failed')
    .toSorted((a, b) => a.wave - b.wave)
    .map(({ agentType, progress, description, result }) => ({
      agentType,
      status: progress.status,
      summary: description,
      result:
        result === null ? null : typeof result['summary'] === 'string' ? result['summary'] : JSON.stringify(result),
    }));
}
