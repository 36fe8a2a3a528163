import { noCoordinatorAdvice } from '../../../domain/explain/text.ts';
import { isAttended } from '../../../engine/orders/create-run.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import { fullAt, landsBefore } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { closingActions, closingLines, relaunchDocument } from '../../../view/closing.ts';
import { adviceLines } from '../../../view/run-view.ts';
import { whyRun, whyTask } from '../../../view/why.ts';
import { aRunOrTask, command, done, type Outcome } from '../../frame/command.ts';
import { resolveRun, resolveWholeRun, showEach } from '../../frame/subject.ts';
import { viewOf } from './status.ts';

export const whyCommand = command({
  name: 'why',
  group: 'look',
  summary: 'explain what a run or a task is waiting for, and what to type',
  arguments: { subject: aRunOrTask },
  options: { all: { about: 'list everything that keeps the wave open, with its owner, age and command' } },
  mcp: true,
  looks: ({ subject, all }, repo) =>
    showEach(repo, subject, (typed) => (all ? listAll(typed, repo) : explainOne(typed, repo))),
});

/** Lists the least set of actions that would close the wave. */
async function listAll(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'why', typed, 'newest');
  if (!subject.ok) return subject.error;
  const view = await viewOf(repo, subject.value);
  if (view === null) throw new Error('a started run has a view');
  const { run } = subject.value;
  const attended = await isAttended(repo, view);
  const { message, ...advice } = noCoordinatorAdvice(run);
  const unattended: readonly Text[] = attended ? [] : ['', [{ text: message, tone: 'bad' }], ...adviceLines(advice)];
  const relaunch = relaunchDocument(view.state);
  return done([...closingLines(view), ...unattended], { run, attended, actions: closingActions(view), relaunch });
}

async function explainOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveRun(repo, 'why', typed, 'newest');
  if (!subject.ok) return subject.error;
  const view = await viewOf(repo, subject.value);
  if (view === null) throw new Error('a started run has a view');
  const { run, task } = subject.value;
  const runs = await currentRuns(repo);
  const full = fullAt(runs, (await repo.settings()).machine.agents);
  const around = { ahead: landsBefore(runs, view.state), full, attended: await isAttended(repo, view) };
  const why = task === null ? whyRun(view, around) : whyTask(view, task, around);
  return done([why.sentence, ...adviceLines(why)], { run, task, ...why });
}
