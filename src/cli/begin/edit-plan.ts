import type { Finding } from '../../domain/findings/finding.ts';
import { isAtRest } from '../../engine/orders/rehearse.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { RunView } from '../../view/run-view.ts';
import { replan } from '../decide/replan.ts';
import { followRun } from '../follow/follow.ts';
import { openTap } from '../follow/open-tap.ts';
import type { Context } from '../frame/command.ts';
import { wholeRunNamed } from '../frame/subject.ts';

/** What is to be asked about next: the plan with its new hash, or the one that stands. */
export type Edited = { readonly view: RunView; readonly warnings: readonly Finding[] };

/**
 * Opens the plan in the person's editor, and reads it again when they are through. A new plan is a new version of the run's, with a
 * hash of its own to be approved; mistakes are told, and the version before stands. Null: the run does not wait any more.
 */
export async function editPlan(repo: RepositoryHandle, context: Context, before: Edited): Promise<Edited | null> {
  const { run, planFile } = before.view.state;
  const say = (text: string): void => context.terminal.problem(`tidegate: ${text}`);
  const opened = await repo.edit(planFile);
  if (opened === null) {
    say(`set VISUAL or EDITOR, or edit ${planFile} elsewhere and answer e once more`);
    return before;
  }
  if (opened === 'in-window') await context.terminal.ask(`Press enter when ${planFile} is saved.`);
  const subject = await wholeRunNamed(repo, 'run', run);
  const replaced = subject.ok ? await replan(repo, subject.value) : subject;
  if (!replaced.ok) {
    for (const line of [...(replaced.error.lines ?? []), ...(replaced.error.problems ?? [])])
      context.terminal.problem(line);
    return before;
  }
  const { note, warnings } = replaced.value;
  say(note.message);
  return note.hash === before.view.state.hash ? before : await askedAgain(repo, before, note.hash, warnings);
}

/** The same question of the new version, as soon as the coordinator has judged it. */
async function askedAgain(
  repo: RepositoryHandle,
  { view: { state } }: Edited,
  hash: string | null,
  warnings: readonly Finding[],
): Promise<Edited | null> {
  await using following = await followRun(repo, state.run);
  const patience = AbortSignal.timeout(repo.patienceMs);
  const tired = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
  for (;;) {
    const view = following.view();
    if (view !== null && view.state.hash === hash) {
      if (openTap(view) !== null) return { view, warnings };
      if (isAtRest(view.state, { now: view.now, nonce: () => '' })) return null;
    }
    if (patience.aborted) return null;
    await Promise.race([following.changed(), tired]);
  }
}
