import { inLineBehind } from '../engine/ask.ts';
import { isAttended } from '../engine/rehearse.ts';
import type { Desk } from '../ports/desk.ts';
import { toldLines } from '../view/run-view.ts';
import { whyRun, whyTask } from '../view/why.ts';
import { done, type Outcome } from './command.ts';
import { viewOf } from './status.ts';
import { runNamed } from './subject.ts';

/** `tidegate why [run[/task]]`: one sentence, the one fact in the way, the next command. */
export async function explain(
  { subject: given }: { readonly subject: string | undefined },
  desk: Desk,
): Promise<Outcome> {
  const subject = await runNamed(desk, 'why', given, 'newest');
  if (!subject.ok) return subject.error;
  const view = viewOf(desk, subject.value);
  if (view === null) throw new Error('a made run has a view');
  const { run, task } = subject.value;
  const behind = await inLineBehind(desk, run);
  const around = { behind, attended: behind !== null || (await isAttended(desk, view)) };
  const found = task === null ? whyRun(view, around) : whyTask(view, task, around);
  return done([found.sentence, ...toldLines(found)], { run, task, ...found });
}
