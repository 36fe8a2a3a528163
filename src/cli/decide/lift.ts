import { needsResume } from '../../engine/actions/run-actions.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { actOn } from '../frame/act.ts';
import { done, exitCodes, type Outcome } from '../frame/command.ts';
import { type MadeRun, wholeRunNamed } from '../frame/subject.ts';

/** Lets a run go on that stands, without following it. */
export async function resumeRun(repo: RepositoryHandle, given: string): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'resume', given);
  if (!found.ok) return found.error;
  return (await lift(repo, found.value)) ?? done([`${found.value.run} goes on.`]);
}

/** Asks for what lets a run go on that stands. Null: it goes on. */
export async function lift(repo: RepositoryHandle, subject: MadeRun): Promise<Outcome | null> {
  if (!needsResume(subject.state)) return null;
  const resumed = await actOn(repo, { action: 'resume', subject, input: {} });
  return resumed.exit === exitCodes.done ? null : resumed;
}
