import { fullAt, knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import { isAttended } from '../../engine/orders/rehearse.ts';
import type { Desk } from '../../ports/desk.ts';
import { toldLines } from '../../view/run-view.ts';
import { whyRun, whyTask } from '../../view/why.ts';
import { done, type Outcome } from '../frame/command.ts';
import { runNamed, showEach } from '../frame/subject.ts';
import { viewOf } from './status.ts';

/** `tidegate why [run[/task]]`: one sentence, the one fact in the way, the next command. */
export const explainWhy = ({ subject }: { readonly subject: string | undefined }, desk: Desk): Promise<Outcome> =>
  showEach(desk, subject, (given) => explainOne(given, desk));

async function explainOne(given: string | undefined, desk: Desk): Promise<Outcome> {
  const subject = await runNamed(desk, 'why', given, 'newest');
  if (!subject.ok) return subject.error;
  const view = viewOf(desk, subject.value);
  if (view === null) throw new Error('a made run has a view');
  const { run, task } = subject.value;
  const runs = await knownRuns(desk.ledger);
  const full = fullAt(runs, (await desk.settings()).machine.agents);
  const around = { ahead: landsBefore(runs, view.state), full, attended: await isAttended(desk, view) };
  const found = task === null ? whyRun(view, around) : whyTask(view, task, around);
  return done([found.sentence, ...toldLines(found)], { run, task, ...found });
}
