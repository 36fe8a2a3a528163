import { firstTap } from '../domain/answer-in-line.ts';
import type { RunId } from '../domain/ids.ts';
import { inLineBehind } from '../engine/ask.ts';
import { isAtRest } from '../engine/rehearse.ts';
import type { Desk } from '../ports/desk.ts';
import { runDocument } from '../view/document.ts';
import type { RunView } from '../view/run-view.ts';
import { type Context, done, exitCodes, type Outcome } from './command.ts';
import { followRun } from './follow.ts';
import type { Foreground } from './foreground.ts';
import { settledOutcome } from './settled.ts';
import { decideTap, isApproved, openTap, startVia } from './taps.ts';

/** Leaves a run to a coordinator in the background, once it has begun and a person was asked if it needs one. */
export async function inBackground(desk: Desk, context: Context, run: RunId, how: Foreground): Promise<Outcome> {
  const isCoordinated = await desk.ensureCoordinator();
  await using following = await followRun(desk, run);
  const patience = AbortSignal.timeout(desk.patienceMs);
  const tired = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
  for (;;) {
    const view = following.view();
    const behind = view === null ? null : await inLineBehind(desk, run);
    if (view !== null && behind !== null) {
      const tap = firstTap(view.state);
      const undecided =
        startVia(context, view.state, tap, how) !== null && view.state.taps[tap] === undefined
          ? await decideTap(desk, context, view, tap, how)
          : null;
      if (undecided !== null) return undecided;
      return done([`${run} waits in line behind ${behind}: tidegate watch ${run}`], { ...runDocument(view), behind });
    }
    const tap = view === null ? null : openTap(view);
    if (view !== null && tap !== null) {
      const undecided = await decideTap(desk, context, view, tap, how);
      return undecided ?? goesOn(view);
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
