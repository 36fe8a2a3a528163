import { safeLine } from '../../../domain/base/safe-text.ts';
import { firstFailures, type TestFailure } from '../../../domain/checks/test-history.ts';
import { noCoordinatorAdvice } from '../../../domain/explain/text.ts';
import { isAttended } from '../../../engine/orders/create-run.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import { fullAt, knownRuns, landsBefore } from '../../../engine/orders/find-run.ts';
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
  options: {
    all: { about: 'list everything that keeps the wave open, with its owner, age and command' },
    test: { value: 'name', about: 'say which run and task first broke this test, of a check with parse: junit' },
  },
  mcp: true,
  looks: ({ subject, all, test }, repo) =>
    test === undefined
      ? showEach(repo, subject, (typed) => (all ? listAll(typed, repo) : explainOne(typed, repo)))
      : explainTest(test, repo),
});

/** Looks through all runs of the repository. */
async function explainTest(wanted: string, repo: RepositoryHandle): Promise<Outcome> {
  const failures = firstFailures(await knownRuns(repo.ledger), wanted);
  const lines = failures.map(failureText).map(safeLine);
  return done(lines.length === 0 ? [`No run has seen ${safeLine(wanted)} fail.`] : lines, { test: wanted, failures });
}

const failureText = ({ test, check, run, task, at }: TestFailure): string =>
  task === null
    ? `${test} (check ${check}) already failed where ${run} began: ${at}`
    : `${test} (check ${check}) was first broken by ${run}/${task}: ${at}`;

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
