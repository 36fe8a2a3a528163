import { attemptOf, snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { peopleOnly } from '../frame/people-only.ts';
import type { OpenPrograms } from '../frame/ports.ts';
import { taskNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';

/**
 * `tidegate open <run/task>`: a task's files in the editor. An agent at work has its workspace shown as it is; when it has ended,
 * what counts is the snapshot, so a copy of that is opened: what is typed into it goes nowhere, and nothing is lost by it.
 */
export const openTask = (
  { task, print }: { readonly task: string; readonly print: boolean },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'look', async (repo) =>
    show(repo, context, task, print, await ports.openPrograms()),
  );

async function show(
  repo: RepositoryHandle,
  context: Context,
  given: string,
  isPrinted: boolean,
  programs: OpenPrograms,
): Promise<Outcome> {
  const found = await taskNamed(repo, 'open', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const refused = peopleOnly(repo, `tidegate open ${run}/${task}`);
  if (refused !== null) return refused;
  const one = state.tasks[task];
  if (one === undefined) return misused('no-task', `open: ${run} has no task ${task}`);
  const snapshot = snapshotOf(one);
  const isLive = one.progress.status === 'launching' || one.progress.status === 'running';
  const workspace = isLive ? programs.workspace(repo, attemptOf(one)?.id ?? '') : null;
  if (workspace === null && snapshot === null) return failed('nothing-there', `open: ${run}/${task} has no files yet`);
  const path = workspace ?? (snapshot === null ? '' : await programs.copy(repo, snapshot.commit, task));
  const note =
    workspace === null
      ? `a copy of the snapshot, to look at: edits in it go nowhere. To change it: tidegate edit ${run}/${task}; to have it changed: tidegate rework ${run}/${task} -f comments.md`
      : `its agent is at work here: what you edit becomes part of its work, and it may write over it`;
  const data = { run, task, path, live: workspace !== null };
  if (isPrinted || context.json) return done(context.json ? [] : [path], data);
  context.terminal.problem(`tidegate: ${path}: ${note}`);
  const editor = await programs.editor(context, path);
  if (editor !== null) return done([], data);
  return {
    exit: exitCodes.failed,
    reason: 'no-editor',
    data,
    problems: ['tidegate: open: set VISUAL or EDITOR; --print says where the files are'],
  };
}
