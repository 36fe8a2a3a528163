import type { RunId } from '../../domain/base/ids.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { isAtRest } from '../../engine/orders/create-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { runDocument } from '../../view/document.ts';
import type { RunView } from '../../view/run-view.ts';
import { type Context, done, exitCodes, type Outcome } from '../frame/command.ts';
import { followRun, isApproved, openTap, settledOutcome } from './follow.ts';
import type { FollowOptions } from './foreground.ts';
import { settleTap } from './taps.ts';

/** Leaves a run to a coordinator in the background, once it has started and its open tap is decided. */
export async function inBackground(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  options: FollowOptions,
): Promise<Outcome> {
  const isCoordinated = await repo.ensureCoordinator();
  await using following = await followRun(repo, run);
  const patience = AbortSignal.timeout(repo.patienceMs);
  const timeout = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
  let decided: TapName | null = null;
  for (;;) {
    const view = await following.view();
    const tap = view === null ? null : openTap(view);
    if (view !== null && tap !== null && tap !== decided) {
      const undecided = await settleTap(repo, context, view, tap, options);
      if (undecided !== null) return undecided;
      decided = tap;
      continue;
    }
    if (view !== null && isAtRest(view.state, { now: view.now, nonce: () => '' })) return settledOutcome(view, context);
    // a resumed run was approved before
    if (view !== null && isCoordinated && isApproved(view)) return continues(view);
    if (patience.aborted) return noAnswer(run);
    await Promise.race([following.changed(), timeout]);
  }
}

function continues(view: RunView): Outcome {
  const { run } = view.state;
  return done([`${run} continues in the background. Follow it: tidegate watch ${run}`], runDocument(view));
}

const noAnswer = (run: RunId): Outcome => ({
  exit: exitCodes.noAnswer,
  reason: 'no-answer',
  problems: [`tidegate: no coordinator starts the run. It is recorded: tidegate resume ${run}`],
  data: { run },
});
