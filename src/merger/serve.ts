import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { AdoptionFailed, ForeignRepository } from '../adapters/git/bare/index.ts';
import { GitUnusable } from '../adapters/git/process/index.ts';
import { NotARepository, UnreadablePath } from '../adapters/git/read/index.ts';
import { commitId, runId, taskId } from '../domain/base/ids.ts';
import { unreachable } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { By } from '../domain/ledger/requests.ts';
import { failureOf, isEnvironmental } from '../ports/failures.ts';
import { LedgerDamaged, LedgerUnavailable } from '../ports/ledger.ts';
import type { MergerAnswer, MergerRequest } from '../ports/merger.ts';
import { addGenerated } from './candidate/add-generated.ts';
import { addRole } from './candidate/add-role.ts';
import { buildCandidate, mergeRound } from './candidate/candidate.ts';
import { dropPaths } from './candidate/drop-paths.ts';
import { promoteComponents } from './candidate/promote.ts';
import { compareSides } from './candidate/repair.ts';
import { makeTaskBase } from './candidate/task-base.ts';
import { moveLanding } from './land/land.ts';
import { rebuildLanding } from './land/rebuild-landing.ts';
import { takeLandingEdit } from './land/take-landing-edit.ts';
import { openRun } from './open-run.ts';
import { isCurrent, type MergerContext, stale } from './order.ts';
import { takeEdit } from './take-edit.ts';
import { undoLanding } from './undo/undo.ts';

/** One line each way. `failed`: the environment failed and asking again is safe. */
type Reply = { readonly id: number; readonly answer: MergerAnswer } | { readonly id: number; readonly failed: Finding };

const run = z.string().transform(runId);
const task = z.string().transform(taskId);
const commit = z.string().transform(commitId);
const round = z.int().nonnegative();
const requestSchema: z.ZodType<MergerRequest> = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('open-run'), run }),
  z.strictObject({ do: z.literal('make-task-base'), run, task }),
  z.strictObject({ do: z.literal('build-candidate'), run, wave: round, round }),
  z.strictObject({ do: z.literal('add-generated'), run, wave: round, round }),
  z.strictObject({ do: z.literal('promote'), run, wave: round, round }),
  z.strictObject({ do: z.literal('add-role'), run, wave: round, round, task }),
  z.strictObject({ do: z.literal('compare-sides'), run, task }),
  z.strictObject({ do: z.literal('merge'), run, wave: round, round }),
  z.strictObject({ do: z.literal('rebuild-landing'), run }),
  z.strictObject({ do: z.literal('land'), run }),
  z.strictObject({ do: z.literal('undo'), run, task: task.nullable() }),
  z.strictObject({ do: z.literal('drop-paths'), run, task, paths: z.array(z.string()), by: z.custom<By>() }),
  z.strictObject({ do: z.literal('take-edit'), run, task, from: commit, copy: z.string(), by: z.custom<By>() }),
  z.strictObject({ do: z.literal('take-landing-edit'), run, from: commit, copy: z.string(), by: z.custom<By>() }),
]);
const lineSchema = z.strictObject({ id: z.int(), epoch: z.int(), request: requestSchema });

/** Serves requests one by one, in order, until the input ends; the one under way is finished first. */
export async function serve(
  input: Readable,
  output: Writable,
  perform: (request: MergerRequest, epoch: number) => Promise<MergerAnswer>,
): Promise<void> {
  for await (const line of createInterface({ input })) {
    const { id, epoch, request } = lineSchema.parse(JSON.parse(line));
    const reply: Reply = await perform(request, epoch).then(
      (answer) => ({ id, answer }),
      (error: unknown) => ({ id, failed: environmentFailure(error) }),
    );
    output.write(`${JSON.stringify(reply)}\n`);
  }
}

const environmentErrors = [
  AdoptionFailed,
  ForeignRepository,
  GitUnusable,
  LedgerDamaged,
  LedgerUnavailable,
  NotARepository,
  UnreadablePath,
];

/** A failure that is not ours; anything else is our bug, and ends the process. */
function environmentFailure(error: unknown): Finding {
  if (isEnvironmental(error)) return failureOf(error);
  for (const kind of environmentErrors) if (error instanceof kind) return error.finding;
  throw error;
}

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
    case 'promote':
      return await promoteComponents(order, request);
    case 'add-role':
      return await addRole(order, request);
    case 'compare-sides':
      return await compareSides(order, request.task);
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
