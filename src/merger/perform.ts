import { unreachable } from '../domain/base/result.ts';
import type { MergerAnswer, MergerRequest } from '../ports/merger.ts';
import { addGenerated } from './candidate/add-generated.ts';
import { buildCandidate } from './candidate/candidate.ts';
import { dropPaths } from './candidate/drop-paths.ts';
import { merge } from './candidate/merge.ts';
import { makeTaskBase } from './candidate/task-base.ts';
import { type MergerContext, isCurrent, stale } from './context.ts';
import { land } from './land/land.ts';
import { rebuildLanding } from './land/rebuild-landing.ts';
import { takeLandingEdit } from './land/take-landing-edit.ts';
import { openRun } from './open-run.ts';
import { takeEdit } from './take-edit.ts';
import { undo } from './undo/undo.ts';

/** Does one request. Every operation looks at ledger and world first, so that asking again finishes or repeats nothing. */
export async function perform(context: MergerContext, request: MergerRequest, epoch: number): Promise<MergerAnswer> {
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
