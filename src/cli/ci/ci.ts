import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Explained } from '../../domain/explain/sentence.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, misused, type Outcome } from '../frame/command.ts';
import { unasked } from '../frame/unasked.ts';
import { type OpenRepository, withRepository } from '../frame/with-repository.ts';
import { annotation, resumeCommands, stepSummary, stopCommands } from './github.ts';
import { junitXml } from './junit.ts';
import { type CiReport, refusedReport, runReport } from './report.ts';

/**
 * `--ci`: nobody is asked, and what came of it is told the way CI systems understand it: a JUnit file, and on GitHub the
 * summary of the step and annotations. Nothing that an agent or a check printed is taken for a command of the runner.
 */
export async function inCi(
  open: OpenRepository,
  context: Context,
  junit: string,
  body: (context: Context) => Promise<Outcome>,
): Promise<Outcome> {
  const file = resolve(context.cwd, junit);
  if (!existsSync(dirname(file))) return misused('bad-junit', `run: --junit: there is no directory ${dirname(file)}`);
  const token = context.env['GITHUB_ACTIONS'] === 'true' ? randomUUID() : null;
  const say = context.json ? context.terminal.problem : context.terminal.line;
  if (token !== null) say(stopCommands(token));
  const outcome = await body({ ...context, terminal: unasked(context.terminal) });
  const report = await reportOf(open, context, outcome);
  writeFileSync(file, junitXml(report));
  const summary = context.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') appendFileSync(summary, `${stepSummary(report)}\n`);
  return token === null
    ? outcome
    : withCommands(outcome, context.json, [resumeCommands(token), ...report.problems.map(annotation)]);
}

/** Commands come last on the one stream that carries all other text too: what was written before is not read as one. */
function withCommands(outcome: Outcome, json: boolean, commands: readonly Text[]): Outcome {
  const { lines = [], problems = [], needs = [] } = outcome;
  if (json) return { ...outcome, problems: [...problems, ...commands] };
  const needed = needs.map(({ message, command }) => `needed: ${message}: ${command}`);
  return { ...outcome, needs: [], problems: [], lines: [...lines, ...problems, ...needed, ...commands] };
}

async function reportOf(open: OpenRepository, context: Context, outcome: Outcome): Promise<CiReport> {
  const { run, findings } = outcome.data ?? {};
  const reports: CiReport[] = [];
  if (typeof run === 'string')
    await withRepository(open, context, 'look', async (repo) => {
      const known = (await knownRuns(repo.ledger)).find((one) => one.run === run);
      if (known?.state) reports.push(runReport(known.state, known.stored));
      return outcome;
    });
  return reports[0] ?? refusedReport(Array.isArray(findings) ? (findings as Explained[]) : [unknown(outcome)]);
}

/** It did not come as far as a plan. */
const unknown = ({ reason, data }: Outcome): Explained => ({
  rule: reason,
  detail: String(data?.['message'] ?? reason),
});
