import { unreachable } from '../domain/base/result.ts';
import type { MergerAnswer, MergerRequest } from '../ports/merger.ts';
import { addGenerated } from './candidate/add-generated.ts';
import { buildCandidate } from './candidate/candidate.ts';
import { dropPaths } from './candidate/drop-paths.ts';
import { mergeRound } from './candidate/merge.ts';
import { makeTaskBase } from './candidate/task-base.ts';
import { isCurrent, type MergerContext, stale } from './context.ts';
import { moveLanding } from './land/land.ts';
import { rebuildLanding } from './land/rebuild-landing.ts';
import { takeLandingEdit } from './land/take-landing-edit.ts';
import { openRun } from './open-run.ts';
import { takeEdit } from './take-edit.ts';
import { undoLanding } from './undo/undo.ts';

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
      return await mergeRound(order, { wave: request.wave, round: request.round });
    case 'rebuild-landing':
      return await rebuildLanding(order);
    case 'land':
      return await moveLanding(order);
    case 'undo':
      return await undoLanding(order, request.task);
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
