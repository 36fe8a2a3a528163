import type { RunId } from '../../domain/base/ids.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { isAtRest } from '../../engine/orders/rehearse.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { runDocument } from '../../view/document.ts';
import type { RunView } from '../../view/run-view.ts';
import { type Context, done, exitCodes, type Outcome } from '../frame/command.ts';
import { followRun } from './follow.ts';
import type { Foreground } from './foreground.ts';
import { isApproved, openTap } from './open-tap.ts';
import { settledOutcome } from './settled.ts';
import { settleTap } from './taps.ts';

/** Leaves a run to a coordinator in the background, once it has begun and a person was asked if it needs one. */
export async function inBackground(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  how: Foreground,
): Promise<Outcome> {
  const isCoordinated = await repo.ensureCoordinator();
  await using following = await followRun(repo, run);
  const patience = AbortSignal.timeout(repo.patienceMs);
  const tired = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
  let decided: TapName | null = null;
  for (;;) {
    const view = following.view();
    const tap = view === null ? null : openTap(view);
    if (view !== null && tap !== null && tap !== decided) {
      const undecided = await settleTap(repo, context, view, tap, how);
      if (undecided !== null) return undecided;
      decided = tap;
      continue;
    }
    if (view !== null && isAtRest(view.state, { now: view.now, nonce: () => '' })) return settledOutcome(view, context);
    // a run that is taken up again has been decided on
    if (view !== null && isCoordinated && isApproved(view)) return goesOn(view);
    if (patience.aborted) return noAnswer(run);
    await Promise.race([following.changed(), tired]);
  }
}

function goesOn(view: RunView): Outcome {
  const { run } = view.state;
  return done([`${run} goes on in the background: tidegate watch ${run}`], runDocument(view));
}

const noAnswer = (run: RunId): Outcome => ({
  exit: exitCodes.noAnswer,
  reason: 'no-answer',
  problems: [`tidegate: no coordinator begins the run; it is recorded: tidegate resume ${run}`],
  data: { run },
});
