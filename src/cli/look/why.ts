import { fullAt, knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import { isAttended } from '../../engine/orders/rehearse.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { toldLines } from '../../view/run-view.ts';
import { whyRun, whyTask } from '../../view/why.ts';
import { done, type Outcome } from '../frame/command.ts';
import { runNamed, showEach } from '../frame/subject.ts';
import { viewOf } from './status.ts';

/** `tidegate why [run[/task]]`: one sentence, the one fact in the way, the next command. */
export const explainWhy = (
  { subject }: { readonly subject: string | undefined },
  repo: RepositoryHandle,
): Promise<Outcome> => showEach(repo, subject, (given) => explainOne(given, repo));

async function explainOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await runNamed(repo, 'why', given, 'newest');
  if (!subject.ok) return subject.error;
  const view = viewOf(repo, subject.value);
  if (view === null) throw new Error('a made run has a view');
  const { run, task } = subject.value;
  const runs = await knownRuns(repo.ledger);
  const full = fullAt(runs, (await repo.settings()).machine.agents);
  const around = { ahead: landsBefore(runs, view.state), full, attended: await isAttended(repo, view) };
  const found = task === null ? whyRun(view, around) : whyTask(view, task, around);
  return done([found.sentence, ...toldLines(found)], { run, task, ...found });
}
