import { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { exitLevels } from '../../domain/closure/exit-contract.ts';
import { environmentPattern } from '../../domain/closure/report.ts';
import { qaDimensions, roleWords } from '../../domain/closure/roles.ts';
import type { Handoff } from '../../domain/gates/evidence.ts';
import { everyWord, mostRegressions } from './parse-report.ts';

/** The whole document, in bytes of UTF-8. */
export const handoffLimit = 16 * 1024;

const claims = z.strictObject({
  completion: z.enum(exitLevels.completion).optional(),
  durability: z.enum(exitLevels.durability).optional(),
  proof: z.enum(exitLevels.proof).optional(),
  docs: z.enum(exitLevels.docs).optional(),
  state: z.enum(['met', 'gap']).optional(),
});

const line = z.string().max(1000);
const list = z.array(line).max(200);

const report = z
  .strictObject({
    word: z.enum(everyWord).describe('a word of this role'),
    findings: list.default([]).describe('findings of the role, one each'),
    dimensions: z
      .partialRecord(z.enum(qaDimensions), z.enum(roleWords.qa.words))
      .describe('qa: the word for each dimension')
      .exactOptional(),
    environments: z
      .record(z.string().regex(environmentPattern), z.enum(roleWords.deploy.words))
      .describe('deploy: the word for each environment')
      .exactOptional(),
    approvals: list.describe('security: approvals that are needed').exactOptional(),
    targets: list.describe('eval: ids of the targets').exactOptional(),
    benchmarks: list.describe('eval: ids of the benchmarks that were run').exactOptional(),
    regressions: z.int().min(0).max(mostRegressions).describe('eval: number of regressions').exactOptional(),
    items: list.describe('docs: the items that are closed').exactOptional(),
  })
  .describe('the report of a closure role; only closure roles have one');

/** An agent's statement at its end. Plain fields with limits: it is passed on as quoted data and decides nothing by itself. */
export const handoffSchema = z
  .strictObject({
    status: z.enum(['done', 'partial', 'failed']).describe('only done can become ready'),
    summary: z.string().min(1).max(4000),
    remaining: list.default([]),
    files: list.default([]),
    proofs: list.default([]),
    questions: list.default([]),
    dropped: list
      .describe('a resolver: changes of either side that the result lacks, each as `path:lines reason`')
      .exactOptional(),
    claims: claims.optional().describe('levels of the exit contract that the agent claims'),
    nonce: z.string().min(1).max(200).describe('given to the attempt in TIDEGATE_NONCE'),
    report: report.exactOptional(),
  })
  .meta({ title: 'Tidegate handoff' });

/** Takes bytes: invalid UTF-8 must not be repaired into something that looks valid. */
export function parseHandoffBySchema(bytes: Uint8Array): Result<Handoff, string> {
  if (bytes.length > handoffLimit) return err(`handoff has ${bytes.length} bytes, at most ${handoffLimit} are allowed`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return err('handoff is not valid UTF-8');
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return err('handoff is not JSON');
  }
  const parsed = handoffSchema.safeParse(raw);
  return parsed.success
    ? ok(parsed.data as Handoff)
    : err(`handoff does not fit its schema: ${z.prettifyError(parsed.error)}`);
}
