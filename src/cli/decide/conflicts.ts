import type { RunState } from '../../domain/run/run.ts';
import { snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { type ConflictView, conflictsOf } from '../../view/conflicts.ts';
import { done, type Outcome } from '../frame/command.ts';
import { showEach, wholeRunNamed } from '../frame/subject.ts';

/** `tidegate conflicts [run]`: files that could not be integrated, and who else changed them. */
export const showConflicts = (
  { run }: { readonly run: string | undefined },
  repo: RepositoryHandle,
): Promise<Outcome> => showEach(repo, run, (given) => conflictsOfOne(given, repo));

async function conflictsOfOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'conflicts', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state } = found.value;
  const all = conflictsOf(state);
  if (all.length === 0) return done([`Nothing of ${run} conflicts.`], { run, conflicts: [] });
  return done(
    all.flatMap((conflict) => linesOf(state, conflict)),
    { run, conflicts: all },
  );
}

function linesOf(state: RunState, { task, files, command }: ConflictView): readonly Text[] {
  const title = task ?? `landing on ${state.target.branch}`;
  const named = files.map((file) => {
    const others = Object.values(state.tasks)
      .filter((other) => other.id !== task && snapshotOf(other)?.diff.some(({ path }) => path === file))
      .map(({ id }) => id);
    return `  ${file}${others.length === 0 ? '' : `, changed by ${others.join(', ')} too`}`;
  });
  return [[{ text: title, tone: 'strong' }], ...named, `  ${command}`];
}
