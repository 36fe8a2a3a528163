import { explain } from '../domain/explain/explain.ts';
import { isChange, whyNot } from '../domain/explain/sentences/change-sentences.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { DiffEntry, SnapshotEvidence } from '../domain/gates/evidence.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { RunState } from '../domain/run/run.ts';
import { endedAttempt, type TaskState } from '../domain/run/task.ts';
import { type Whose, whoseFile } from '../domain/scope/claims.ts';
import { outOfScope, scopeOf } from '../domain/scope/scope.ts';

export type JudgedFile = DiffEntry & { readonly whose: Whose | 'out-of-scope'; readonly problem: string | null };

/** Every file of the diff, with whose it is, or why it is not this task's to change, judged by the gate itself. */
export function judgedEntries(state: RunState, task: TaskState, snapshot: SnapshotEvidence): readonly JudgedFile[] {
  const planned = plannedById(state.plan, task.id);
  if (planned === undefined)
    return snapshot.diff.map((entry) => ({ ...entry, whose: 'out-of-scope', problem: 'not in the plan' }));
  const granted = Object.values(state.tasks).map(({ id, granted: paths }) => ({ task: id, paths }));
  const edited = endedAttempt(task)?.acceptance?.edited ?? [];
  const outside = outOfScope(scopeOf(state.plan, planned, granted, edited), snapshot.diff);
  return snapshot.diff.map((entry) => {
    const finding = outside.find(({ where }) => where === entry.path);
    if (finding === undefined) {
      const whose = whoseFile(state.plan, planned, granted, entry.path);
      const isByHand = whose === 'unclaimed' && edited.includes(entry.path);
      return { ...entry, whose: isByHand ? 'edited' : whose, problem: null };
    }
    return { ...entry, whose: 'out-of-scope', problem: problemOf(finding) };
  });
}

/** Without the path, which stands beside it. */
const problemOf = (finding: Finding): string => (isChange(finding) ? whyNot(finding) : explain(finding).detail);
