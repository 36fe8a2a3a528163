import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { AdoptionFailed, ForeignRepository } from '../adapters/git/bare/index.ts';
import { GitUnusable } from '../adapters/git/process/index.ts';
import { NotARepository, UnreadablePath } from '../adapters/git/read/index.ts';
import { commitId, runId, taskId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { By } from '../domain/ledger/requests.ts';
import { failureOf, isEnvironmental } from '../ports/failures.ts';
import { LedgerDamaged, LedgerUnavailable } from '../ports/ledger.ts';
import type { MergerAnswer, MergerRequest } from '../ports/merger.ts';

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
