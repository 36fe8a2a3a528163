import type { RunEvent } from '../../domain/ledger/events.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import type { Drafts } from '../../ports/drafts.ts';
import type { ExitRecord } from '../../ports/supervisor.ts';

export type Drafted = Pick<RunEvent & { readonly type: 'attempt-ended' }, 'drafted'>;

/**
 * What stands against the plan that an attempt drafted. Findings repeat words of it and are kept for ever, so what may hold a secret
 * is not read; nor is what does not count anyway.
 */
export async function readDraft(
  drafts: Drafts | undefined,
  task: PlannedTask,
  branch: string,
  { ending, handoff, snapshot }: ExitRecord,
): Promise<Drafted> {
  const isDone = ending.code === 0 && handoff.kind === 'given' && handoff.handoff.status === 'done';
  if (drafts === undefined || task.drafts === undefined || !isDone) return {};
  if (snapshot === null || snapshot.secrets.length > 0) return {};
  return { drafted: await drafts.mistakes({ commit: snapshot.commit, file: task.drafts, branch }) };
}
