import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Explained } from '../../domain/explain/sentence.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, type Outcome, usageError } from '../frame/command.ts';
import type { OpenRepository } from '../frame/ports.ts';
import { withRepository } from '../frame/subject.ts';
import { plainTerminal } from '../frame/terminals.ts';
import { annotation, junitXml, resumeCommands, stepSummary, stopCommands } from './formats.ts';
import { type CiReport, refusedReport, runReport } from './report.ts';

/**
 * Runs without asking, and reports in the formats of CI systems: a JUnit file, and on GitHub a step summary and annotations.
 * The runner takes no output of an agent or a check for a command.
 */
export async function runForCi(
  open: OpenRepository,
  context: Context,
  junit: string,
  body: (context: Context) => Promise<Outcome>,
): Promise<Outcome> {
  const file = resolve(context.cwd, junit);
  if (!existsSync(dirname(file)))
    return usageError('bad-junit', `run: --junit: the directory ${dirname(file)} does not exist`);
  const token = context.env['GITHUB_ACTIONS'] === 'true' ? randomUUID() : null;
  const print = context.json ? context.terminal.problem : context.terminal.line;
  if (token !== null) print(stopCommands(token));
  const outcome = await body({ ...context, terminal: plainTerminal(context.terminal) });
  const report = await reportOf(open, context, outcome);
  writeFileSync(file, junitXml(report));
  const summary = context.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') appendFileSync(summary, `${stepSummary(report)}\n`);
  return token === null
    ? outcome
    : withCommands(outcome, context.json, [resumeCommands(token), ...report.problems.map(annotation)]);
}

/** Prints runner commands last, on the stream of all other text, so that nothing before is read as a command. */
function withCommands(outcome: Outcome, json: boolean, commands: readonly Text[]): Outcome {
  const { lines = [], problems = [], needs = [] } = outcome;
  if (json) return { ...outcome, problems: [...problems, ...commands] };
  const needLines = needs.map(({ message, command }) => `needed: ${message}: ${command}`);
  return { ...outcome, needs: [], problems: [], lines: [...lines, ...problems, ...needLines, ...commands] };
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

/** For an outcome without a plan. */
const unknown = ({ reason, data }: Outcome): Explained => ({
  rule: reason,
  detail: String(data?.['message'] ?? reason),
});
