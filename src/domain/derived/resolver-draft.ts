import { present } from '../base/result.ts';
import type { DraftTask, PlanDraft } from '../plan/plan-draft.ts';

/** The resolver of a plan as a task that nobody wrote, so that its agent is judged as that of a task. Null when there is none. */
export function draftResolver({ settings: { resolver } }: Pick<PlanDraft, 'settings'>): DraftTask | null {
  if (resolver === null) return null;
  const { agent, command, model } = typeof resolver === 'string' ? { agent: resolver } : resolver;
  const keys = present({ agent, command, model });
  return { id: 'resolver', wave: 0, place: ['resolver'], file: null, text: '', hasFrontMatter: false, keys };
}
