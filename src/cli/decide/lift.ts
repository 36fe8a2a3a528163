import { needsResume } from '../../engine/actions/run/resume.ts';
import type { Desk } from '../../ports/desk.ts';
import { actOn } from '../frame/act.ts';
import { done, exitCodes, type Outcome } from '../frame/command.ts';
import { type MadeRun, wholeRunNamed } from '../frame/subject.ts';

/** Lets a run go on that stands, without following it. */
export async function resumeRun(desk: Desk, given: string): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'resume', given);
  if (!found.ok) return found.error;
  return (await lift(desk, found.value)) ?? done([`${found.value.run} goes on.`]);
}

/** Asks for what lets a run go on that stands. Null: it goes on. */
export async function lift(desk: Desk, subject: MadeRun): Promise<Outcome | null> {
  if (!needsResume(subject.state)) return null;
  const resumed = await actOn(desk, { action: 'resume', subject, input: {} });
  return resumed.exit === exitCodes.done ? null : resumed;
}
