import { attemptOf, snapshotOf } from '../../../domain/run/task.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { refuseAgent } from '../../frame/act.ts';
import {
  aTask,
  type Context,
  command,
  done,
  exitCodes,
  failure,
  type Outcome,
  usageError,
} from '../../frame/command.ts';
import type { OpenPrograms } from '../../frame/ports.ts';
import { resolveTask } from '../../frame/subject.ts';

export const openCommand = command({
  name: 'open',
  group: 'look',
  summary: 'open the files of a task in your editor',
  arguments: { task: aTask },
  options: { print: { about: 'print the path of the files instead' } },
  help: 'While the agent runs, this opens its workspace. Afterwards it opens a copy of the snapshot: edits in it have no effect.',
  looks: async ({ task, print }, repo, context, { ports }) =>
    openTask(repo, context, task, print, await ports.openPrograms()),
});

async function openTask(
  repo: RepositoryHandle,
  context: Context,
  typed: string,
  onlyPrint: boolean,
  programs: OpenPrograms,
): Promise<Outcome> {
  const subject = await resolveTask(repo, 'open', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, task, state } = subject.value;
  const refusal = refuseAgent(repo, `tidegate open ${run}/${task}`);
  if (refusal !== null) return refusal;
  const one = state.tasks[task];
  if (one === undefined) return usageError('no-task', `open: ${run} has no task ${task}`);
  const snapshot = snapshotOf(one);
  const isLive = one.progress.status === 'launching' || one.progress.status === 'running';
  const workspace = isLive ? programs.workspace(repo, attemptOf(one)?.id ?? '') : null;
  if (workspace === null && snapshot === null) return failure('nothing-there', `open: ${run}/${task} has no files yet`);
  const path = workspace ?? (snapshot === null ? '' : await programs.copy(repo, snapshot.commit, task));
  const note =
    workspace === null
      ? `a copy of the snapshot; edits in it have no effect. Change it: tidegate edit ${run}/${task}, or let the agent change it: tidegate rework ${run}/${task} -f comments.md`
      : `the workspace of the running agent; your edits become part of its work, and it may overwrite them`;
  const data = { run, task, path, live: workspace !== null };
  if (onlyPrint || context.json) return done(context.json ? [] : [path], data);
  context.terminal.problem(`tidegate: ${path}: ${note}`);
  const editor = await programs.editor(context, path);
  if (editor !== null) return done([], data);
  return {
    exit: exitCodes.failed,
    reason: 'no-editor',
    data,
    problems: ['tidegate: open: no editor is set. Set VISUAL or EDITOR, or print the path: --print'],
  };
}
