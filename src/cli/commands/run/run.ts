import { err, ok, type Result } from '../../../domain/base/result.ts';
import { explain } from '../../../domain/explain/explain.ts';
import { performOrder } from '../../../engine/actions/perform.ts';
import { type PreparedOrder, prepareOrder } from '../../../engine/orders/order-run.ts';
import type { PlanFlags, PlanSource, RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { findingText, planView } from '../../../view/plan-view.ts';
import { runForCi } from '../../ci/ci.ts';
import { inBackground } from '../../follow/background.ts';
import { inForeground } from '../../follow/foreground.ts';
import { agentRefusal } from '../../frame/act.ts';
import { aPlan, type Context, command, done, type Outcome, usageError } from '../../frame/command.ts';
import type { OpenRepository } from '../../frame/ports.ts';
import { withRepository } from '../../frame/subject.ts';
import { notOrderedOutcome } from '../begin/lint.ts';

export const runCommand = command({
  name: 'run',
  group: 'run',
  summary: 'check a plan, ask for approval, run it, and land what is proven',
  arguments: { plan: aPlan },
  options: {
    wave: { value: 'number', about: 'run only this wave, which must be the next open one; waves count from 1' },
    dryRun: { about: 'run every check and show the approval question, without starting or storing anything' },
    withUncommitted: {
      about:
        'let agents see your uncommitted changes, which never land themselves; commit them before the work built on them lands',
    },
    detach: { short: 'd', about: 'continue in the background' },
    yes: { about: 'approve the start, and nothing else' },
    land: { about: 'approve the landing' },
    focus: { value: 'text', about: 'tell every agent of this run what to pay attention to; part of what is approved' },
    ci: {
      about:
        'for CI: ask nothing, write a JUnit file, and on GitHub a summary; lands only with --land; `land: pr` opens the pull request',
    },
    junit: { value: 'file', about: 'with --ci: path of the JUnit file (default: tidegate-junit.xml)' },
  },
  run: async ({ plan, junit, ...options }, context, { ports: { openRepository } }) => {
    if (!options.ci)
      return junit === undefined
        ? await checkThenRun(openRepository, context, plan, options)
        : usageError('no-ci', 'run: --junit needs --ci');
    if (options.detach)
      return usageError('detached-ci', 'run: --ci reports how the run ended, so it cannot be used with --detach');
    return await runForCi(openRepository, context, junit ?? 'tidegate-junit.xml', (plain) =>
      checkThenRun(openRepository, plain, plan, options),
    );
  },
});

export type RunOptions = {
  readonly wave?: string | undefined;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly yes?: boolean;
  readonly land?: boolean;
  readonly focus?: string | undefined;
  readonly ci?: boolean;
  readonly withUncommitted?: boolean;
  readonly isBrief?: boolean;
  /** The tasks themselves were typed: at a terminal that approves their start. */
  readonly typed?: boolean;
};

/** Makes all checks before anything is created: a plan that is refused leaves no trace. */
export async function checkThenRun(
  open: OpenRepository,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  command = 'run',
): Promise<Outcome> {
  const ready: PreparedOrder[] = [];
  const checked = await withRepository(open, context, 'look', async (repo) => {
    const prepared = await prepare(repo, context, source, options, command);
    if (!prepared.ok) return prepared.error;
    ready.push(prepared.value);
    return dryRunOutcome(prepared.value);
  });
  const [prepared] = ready;
  if (prepared === undefined || options.dryRun === true) return checked;
  return await withRepository(open, context, 'act', (repo) => startRun(repo, context, prepared, options));
}

/** Prepares and starts the run of one plan file in a repository that is open for it. */
export async function runPlanFile(
  repo: RepositoryHandle,
  context: Context,
  file: string,
  options: RunOptions,
): Promise<Outcome> {
  const prepared = await prepare(repo, context, [file], options, 'run');
  return prepared.ok ? await startRun(repo, context, prepared.value, options) : prepared.error;
}

/** Reads, freezes and rehearses the plan; changes nothing. */
async function prepare(
  repo: RepositoryHandle,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  command: string,
): Promise<Result<PreparedOrder, Outcome>> {
  const wave = waveIndex(options.wave);
  if (!wave.ok) return err(usageError('bad-wave', `run: ${wave.error}`));
  const focus = options.focus?.trim() ?? null;
  if (focus === '' || (focus?.length ?? 0) > longestFocus)
    return err(usageError('bad-focus', `${command}: --focus takes a text of at most ${longestFocus} characters`));
  const { withUncommitted = false } = options;
  const flags = { land: landFlag(options), focus };
  const prepared = await prepareOrder(repo, {
    source,
    flags,
    wave: wave.value,
    withUncommitted,
    tidegate: context.version,
  });
  return prepared.ok ? prepared : err(notOrderedOutcome(prepared.error, command));
}

/** People count waves from 1, everything else counts from 0. Null: no wave was typed. */
export function waveIndex(typed: string | undefined): Result<number | null, string> {
  if (typed === undefined) return ok(null);
  if (!/^\d{1,4}$/.test(typed)) return err(`--wave takes a whole number, not ${typed}`);
  return Number(typed) === 0 ? err('waves count from 1; the first wave is --wave 1') : ok(Number(typed) - 1);
}

/** Keeps a run that nobody attends from waiting at its landing. */
const landFlag = ({ ci, land }: RunOptions): PlanFlags['land'] => (ci === true && land !== true ? 'branch' : null);

/** Every agent gets the whole text: it is never cut. */
const longestFocus = 2_000;

async function startRun(
  repo: RepositoryHandle,
  context: Context,
  prepared: PreparedOrder,
  options: RunOptions,
): Promise<Outcome> {
  const { order, warnings } = prepared;
  const { yes = false, land = false, isBrief = false, typed = false } = options;
  // a person who approves the plan sees them with it
  if (yes && !context.json)
    for (const warning of warnings) context.terminal.line(`note    ${findingText(explain(warning))}`);
  const approves = [...(yes ? (['start'] as const) : []), ...(land ? (['land'] as const) : [])];
  if (!(await performOrder(repo, prepared, repo.caller, { approves }))) return agentRefusal(repo, 'tidegate run');
  // without a question, nobody sees the plan with its notes
  if (!context.json && !yes && !context.terminal.interactive)
    for (const note of prepared.notes) context.terminal.problem(`tidegate: note: ${findingText(explain(note))}`);
  const follow = options.detach === true ? inBackground : inForeground;
  const outcome = await follow(repo, context, order.run, { yes, typed, land, isBrief, warnings, fromStart: true });
  return { ...outcome, data: { ...outcome.data, warnings: warnings.map(explain) } };
}

function dryRunOutcome({ rehearsed, warnings }: PreparedOrder): Outcome {
  const { plan, hash } = rehearsed;
  const approvals = [
    plan.taps.start === 'run' ? 'once, before the first task starts' : 'before every wave',
    ...(plan.land === 'ask' ? ['before the branch moves'] : []),
  ];
  const lines: Text[] = [
    ...planView(rehearsed, warnings),
    `asks    ${approvals.join(', and ')}`,
    '',
    [{ text: 'All checks pass.', tone: 'good' }, ' Nothing was started and nothing was stored.'],
  ];
  return done(lines, { plan, hash, warnings: warnings.map(explain) });
}
