import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { RunView } from '../../view/run-view.ts';
import { editPlan } from '../begin/edit-plan.ts';
import type { Context } from '../frame/command.ts';
import type { Display } from './display.ts';

/** Gives the terminal to the person's editor, and takes it back when they are through and have read what came of it. */
export async function editAside(
  repo: RepositoryHandle,
  context: Context,
  display: Display,
  view: RunView,
): Promise<void> {
  await display.aside(async () => {
    await editPlan(repo, context, { view, warnings: [] });
    await context.terminal.ask('Press enter to go back to the run.');
  });
}
