import { unreachable } from '../domain/base/result.ts';
import type { MergerAnswer, MergerRequest } from '../ports/merger.ts';
import { addGenerated } from './add-generated.ts';
import { buildCandidate } from './candidate.ts';
import { type Context, isCurrent, stale } from './context.ts';
import { dropPaths } from './drop-paths.ts';
import { land } from './land.ts';
import { merge } from './merge.ts';
import { openRun } from './open-run.ts';
import { rebuildLanding } from './rebuild-landing.ts';
import { takeEdit } from './take-edit.ts';
import { takeLandingEdit } from './take-landing-edit.ts';
import { makeTaskBase } from './task-base.ts';
import { undo } from './undo.ts';

/** Does one request. Every operation looks at ledger and world first, so that asking again finishes or repeats nothing. */
export async function perform(context: Context, request: MergerRequest, epoch: number): Promise<MergerAnswer> {
  const order = { ...context, run: request.run, epoch };
  if (!(await isCurrent(order))) return stale;
  switch (request.do) {
    case 'open-run':
      return await openRun(order);
    case 'make-task-base':
      return await makeTaskBase(order, request.task);
    case 'build-candidate':
      return await buildCandidate(order, request.wave, request.round);
    case 'add-generated':
      return await addGenerated(order, request.wave, request.round);
    case 'merge':
      return await merge(order, { wave: request.wave, round: request.round });
    case 'rebuild-landing':
      return await rebuildLanding(order);
    case 'land':
      return await land(order);
    case 'undo':
      return await undo(order, request.task);
    case 'drop-paths':
      return await dropPaths(order, request);
    case 'take-landing-edit':
      return await takeLandingEdit(order, request);
    case 'take-edit':
      return await takeEdit(order, request);
    default:
      return unreachable(request);
  }
}
