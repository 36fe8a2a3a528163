import type { RunState } from '../../../domain/run/run.ts';
import { snapshotOf } from '../../../domain/run/task.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { type ConflictView, conflictsOf } from '../../../view/document.ts';
import { aRun, command, done, type Outcome } from '../../frame/command.ts';
import { resolveWholeRun, showEach } from '../../frame/subject.ts';

export const conflictsCommand = command({
  name: 'conflicts',
  group: 'look',
  summary: 'list files that conflict, and which tasks changed them',
  arguments: { run: aRun },
  looks: ({ run }, repo) => showEach(repo, run, (typed) => conflictsOfOne(typed, repo)),
});

async function conflictsOfOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'conflicts', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state } = subject.value;
  const all = conflictsOf(state);
  if (all.length === 0) return done([`${run} has no conflicts.`], { run, conflicts: [] });
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
    return `  ${file}${others.length === 0 ? '' : `, also changed by ${others.join(', ')}`}`;
  });
  return [[{ text: title, tone: 'strong' }], ...named, `  ${command}`];
}
