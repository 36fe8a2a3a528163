import { err, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import { performOrder } from '../../engine/actions/perform.ts';
import { type PreparedOrder, prepareOrder } from '../../engine/orders/order-run.ts';
import type { PlanFlags, PlanSource, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { findingText, planView } from '../../view/plan-view.ts';
import { inCi } from '../ci/ci.ts';
import { inBackground } from '../follow/background.ts';
import { inForeground } from '../follow/foreground.ts';
import { type Context, done, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { callerIsAgent } from '../frame/people-only.ts';
import { type OpenRepository, withRepository } from '../frame/with-repository.ts';
import { notOrdered } from './not-ordered.ts';

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
};

type RunInput = RunOptions & { readonly plan: readonly string[]; readonly junit: string | undefined };

/** `tidegate run [plan…]`: reads and judges the plan, orders the run, and brings it as far as it goes without a person. */
export async function runPlan(
  { plan, junit, ...options }: RunInput,
  context: Context,
  { ports: { openRepository } }: Program,
): Promise<Outcome> {
  if (options.ci !== true)
    return junit === undefined
      ? await checkedThenRun(openRepository, context, plan, options)
      : misused('no-ci', 'run: --junit goes with --ci');
  if (options.detach === true)
    return misused('detached-ci', 'run: --ci tells what came of the run, so it cannot go with --detach');
  return await inCi(openRepository, context, junit ?? 'tidegate-junit.xml', (unasked) =>
    checkedThenRun(openRepository, unasked, plan, options),
  );
}

/** All checks come before anything is made: a plan that is refused leaves no trace. */
export async function checkedThenRun(
  open: OpenRepository,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  more: RunCaller = runAsked,
): Promise<Outcome> {
  const ready: PreparedOrder[] = [];
  const checked = await withRepository(open, context, 'look', async (repo) => {
    const prepared = await prepare(repo, context, source, options, more.command);
    if (!prepared.ok) return prepared.error;
    ready.push(prepared.value);
    return dryRun(prepared.value);
  });
  const [prepared] = ready;
  if (prepared === undefined || options.dryRun === true) return checked;
  return await withRepository(open, context, 'act', (repo) =>
    carryOut(repo, context, prepared, { ...options, typed: more.typed }),
  );
}

/** What another command that runs a plan has of its own. */
export type RunCaller = {
  readonly command: string;
  /** Typing it at a terminal is the yes to the start. */
  readonly typed: boolean;
};
const runAsked: RunCaller = { command: 'run', typed: false };

export async function begin(
  repo: RepositoryHandle,
  context: Context,
  file: string | undefined,
  options: RunOptions,
): Promise<Outcome> {
  const prepared = await prepare(repo, context, file === undefined ? [] : [file], options);
  if (!prepared.ok) return prepared.error;
  return options.dryRun === true ? dryRun(prepared.value) : await carryOut(repo, context, prepared.value, options);
}

/** Reads, freezes and rehearses; changes nothing. */
async function prepare(
  repo: RepositoryHandle,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  command = 'run',
): Promise<Result<PreparedOrder, Outcome>> {
  const wave = options.wave === undefined ? null : wholeNumber(options.wave);
  if (wave === undefined) return err(misused('bad-wave', `run: --wave takes a whole number, not ${options.wave}`));
  const focus = options.focus?.trim() ?? null;
  if (focus === '' || (focus?.length ?? 0) > longestFocus)
    return err(misused('bad-focus', `${command}: --focus takes a text of at most ${longestFocus} characters`));
  const { withUncommitted = false } = options;
  const flags = { land: landFlag(options), focus };
  const asked = { source, flags, wave, withUncommitted, tidegate: context.version };
  const prepared = await prepareOrder(repo, asked);
  return prepared.ok ? prepared : err(notOrdered(prepared.error, command));
}

/** What becomes of `land:`, so that a run that nobody attends ends. */
const landFlag = ({ ci, land }: RunOptions): PlanFlags['land'] => (ci === true && land !== true ? 'branch' : null);

/** It is told to every agent, and never cut. */
const longestFocus = 2_000;

async function carryOut(
  repo: RepositoryHandle,
  context: Context,
  prepared: PreparedOrder,
  options: RunOptions & { readonly typed?: boolean },
): Promise<Outcome> {
  const { order, warnings } = prepared;
  const { yes = false, land = false, isBrief = false, typed = false } = options;
  // who is asked sees them with the plan
  if (yes && !context.json)
    for (const warning of warnings) context.terminal.line(`note    ${findingText(explain(warning))}`);
  const approves = [...(yes ? (['start'] as const) : []), ...(land ? (['land'] as const) : [])];
  if (!(await performOrder(repo, prepared, repo.caller, { approves }))) return callerIsAgent(repo, 'tidegate run');
  const how = { yes, typed, land, isBrief, warnings, fromStart: true };
  // where nobody is asked, nobody sees the plan with its notes
  if (!context.json && !yes && !context.terminal.interactive)
    for (const note of prepared.notes) context.terminal.problem(`tidegate: note: ${findingText(explain(note))}`);
  const outcome =
    options.detach === true
      ? await inBackground(repo, context, order.run, how)
      : await inForeground(repo, context, order.run, how);
  return { ...outcome, data: { ...outcome.data, warnings: warnings.map(explain) } };
}

function dryRun({ rehearsed, warnings }: PreparedOrder): Outcome {
  const { plan, hash } = rehearsed;
  const asked = [
    ...(plan.taps.start === 'run' ? ['once, before the first task starts'] : ['before every wave']),
    ...(plan.land === 'ask' ? ['before the branch moves'] : []),
  ];
  const lines: Text[] = [
    ...planView(rehearsed, warnings),
    `asks    ${asked.join(', and ')}`,
    '',
    [{ text: 'Every check passes.', tone: 'good' }, ' Nothing was started and nothing was kept.'],
  ];
  return done(lines, { plan, hash, warnings: warnings.map(explain) });
}

const wholeNumber = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);
