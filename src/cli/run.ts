import type { RunOrder } from '../domain/events.ts';
import { idPattern, planHash, type RunId, runId } from '../domain/ids.ts';
import { protectWarnings } from '../domain/ownership.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type RunState, selectedWaves } from '../domain/run.ts';
import type { Finding } from '../domain/verdict.ts';
import { knownRuns } from '../engine/find-run.ts';
import { openWaves, refusals, rehearse } from '../engine/rehearse.ts';
import type { Desk, PlanFlags, PlanSource, ReadPlan } from '../ports/desk.ts';
import type { Text } from '../ports/terminal.ts';
import { findingText, planView } from '../view/plan-view.ts';
import { inBackground } from './background.ts';
import { inCi } from './ci/ci.ts';
import { type Context, done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { inForeground } from './foreground.ts';
import { outcomeOf as lintOutcome, planArgument } from './lint.ts';

export type RunOptions = {
  readonly wave?: string;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly yes?: boolean;
  readonly land?: boolean;
  readonly focus?: string;
  readonly ci?: boolean;
  readonly junit?: string;
  readonly isBrief?: boolean;
};

/** `tidegate run [plan…]`: reads and judges the plan, orders the run, and brings it as far as it goes without a person. */
export const run =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[plan...]', planArgument)
      .option('--wave <number>', 'only this wave, which must be the next open one')
      .option('--dry-run', 'every check and what would be asked; leaves nothing behind')
      .option('-d, --detach', 'go on in the background')
      .option('--yes', 'answer the start approval with yes, and nothing else')
      .option('--land', 'answer the landing with yes')
      .option('--focus <text>', 'what every agent of this run is told to mind; part of what is approved')
      .option(
        '--ci',
        'for machines: asks nothing, writes a JUnit file, and on GitHub a summary; lands only with --land',
      )
      .option('--junit <file>', 'with --ci: where the JUnit file goes; without it tidegate-junit.xml')
      .action(
        does((plan: readonly string[], options: RunOptions) => {
          const { ci, junit } = options;
          if (ci !== true)
            return junit === undefined
              ? checkedThenRun(open, context, plan, options)
              : misused('no-ci', 'run: --junit goes with --ci');
          if (options.detach === true)
            return misused('detached-ci', 'run: --ci tells what came of the run, so it cannot go with --detach');
          return inCi(open, context, junit ?? 'tidegate-junit.xml', (unasked) =>
            checkedThenRun(open, unasked, plan, options),
          );
        }),
      );
  };

/** All checks come before anything is made: a plan that is refused leaves no trace. */
export async function checkedThenRun(
  open: OpenDesk,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  more: Asked = runAsked,
): Promise<Outcome> {
  const ready: Prepared[] = [];
  const checked = await atDesk(open, context, 'look', async (desk) => {
    const prepared = await prepare(desk, context, source, options, more.command);
    if (!prepared.ok) return prepared.error;
    const refused = await more.refuse(desk, prepared.value.order);
    if (refused !== null) return refused;
    ready.push(prepared.value);
    return dryRun(prepared.value);
  });
  const [prepared] = ready;
  if (prepared === undefined || options.dryRun === true) return checked;
  return await atDesk(open, context, 'act', (desk) =>
    carryOut(desk, context, prepared, { ...options, typed: more.typed }),
  );
}

/** What another command that runs a plan has of its own. */
export type Asked = {
  readonly command: string;
  /** Typing it at a terminal is the yes to the start. */
  readonly typed: boolean;
  /** What stands against it that stands against no plan in a file. */
  refuse(desk: Desk, order: RunOrder): Promise<Outcome | null>;
};
const runAsked: Asked = { command: 'run', typed: false, refuse: async () => null };

export async function begin(
  desk: Desk,
  context: Context,
  file: string | undefined,
  options: RunOptions,
): Promise<Outcome> {
  const prepared = await prepare(desk, context, file === undefined ? [] : [file], options);
  if (!prepared.ok) return prepared.error;
  return options.dryRun === true ? dryRun(prepared.value) : await carryOut(desk, context, prepared.value, options);
}

type Prepared = {
  readonly order: RunOrder;
  readonly rehearsed: RunState;
  /** The plan as a file, where there is none yet. */
  readonly text: string | null;
  readonly warnings: readonly Finding[];
};

/** Reads, freezes and rehearses; changes nothing. */
async function prepare(
  desk: Desk,
  context: Context,
  source: PlanSource,
  options: RunOptions,
  command = 'run',
): Promise<Result<Prepared, Outcome>> {
  const wave = options.wave === undefined ? null : wholeNumber(options.wave);
  if (wave === undefined) return err(misused('bad-wave', `run: --wave takes a whole number, not ${options.wave}`));
  const focus = options.focus?.trim() ?? null;
  if (focus === '' || (focus?.length ?? 0) > longestFocus)
    return err(misused('bad-focus', `${command}: --focus takes a text of at most ${longestFocus} characters`));
  const land = landFlag(options);
  const found = await desk.readPlan(source, { land, focus });
  if (!found.ok) return err(misused('no-plan', `${command}: ${found.error}`));
  const read = found.value;
  if (!read.ok) return err(lintOutcome(read));
  const ordered = await orderOf(desk, context, read, wave);
  if (!ordered.ok) return ordered;
  const order: RunOrder = {
    ...ordered.value,
    ...(land === 'auto' ? { landAuto: true } : land === 'branch' ? { landBranch: true } : {}),
  };
  const { rehearsed, findings, warnings } = await judgedBefore(desk, order);
  if (findings.length > 0) return err(refusedPlan(findings, read.warnings));
  return ok({ order, rehearsed, text: read.text, warnings: [...read.warnings, ...warnings] });
}

/** What becomes of `land:`, so that a run that nobody attends ends. */
function landFlag({ ci, land, detach }: RunOptions): PlanFlags['land'] {
  if (land === true) return ci === true || detach === true ? 'auto' : null;
  return ci === true ? 'branch' : null;
}

/** It is told to every agent, and never cut. */
const longestFocus = 2_000;

/** What the phases before approval will say of an order, and whether it can be fenced here. */
export async function judgedBefore(desk: Desk, order: RunOrder) {
  const rehearsed = await rehearsal(desk, order);
  const findings = [...refusals(rehearsed), ...(await authorFindings(desk)), ...(await fenceFindings(desk, order))];
  return { rehearsed, findings, warnings: scopeWarnings(rehearsed) };
}

async function carryOut(
  desk: Desk,
  context: Context,
  { order, text, warnings }: Prepared,
  options: RunOptions & { readonly typed?: boolean },
): Promise<Outcome> {
  await desk.openRunDirectory(order, text);
  await desk.ledger.request(order.run, { type: 'requested-run', by: desk.caller.by, ...order });
  const { yes = false, land = false, isBrief = false, typed = false } = options;
  const how = { yes, typed, land, isBrief, warnings, fromStart: true };
  if (options.detach === true) return await inBackground(desk, context, order.run, how);
  return await inForeground(desk, context, order.run, how);
}

async function orderOf(
  desk: Desk,
  context: Context,
  read: ReadPlan & { readonly ok: true },
  wave: number | null,
): Promise<Result<RunOrder, Outcome>> {
  const { plan, hash } = read;
  const tip = await desk.git.branchTip(plan.base);
  if (tip === null)
    return err(misused('no-branch', `run: the branch ${plan.base} does not exist or has no commit yet`));
  const repo = { rootCommit: await desk.git.rootCommit(), remote: await desk.git.remote() };
  const target = { branch: plan.base, commit: tip };
  const id = newRunId(plan.name, desk.clock.nonce());
  const planFile = read.text === null ? read.planFile : desk.state.writtenPlan(id);
  return ok({ run: id, plan, hash: planHash(hash), planFile, repo, target, wave, tidegate: context.version });
}

async function rehearsal(desk: Desk, order: RunOrder): Promise<RunState> {
  const others = (await knownRuns(desk.ledger)).map(({ state }) => state);
  const seen = { openWaves: openWaves(order, others), actual: order.repo };
  return rehearse(order, seen, { now: desk.clock.now(), nonce: () => '' });
}

/** Found at the merge, it would be found after the agents were paid. */
async function authorFindings(desk: Desk): Promise<readonly Finding[]> {
  const author = await desk.author();
  return author.ok ? [] : [{ rule: 'author', detail: author.error.problem, fix: author.error.fix }];
}

/** Never silently unfenced: without a fence that holds, and none waived, nothing is ordered. */
async function fenceFindings(desk: Desk, { plan }: RunOrder): Promise<readonly Finding[]> {
  if (plan.fence.mode === 'none') return [];
  const fence = await desk.fence();
  return fence.ok ? [] : [{ rule: 'fence', detail: fence.error.problem, fix: fence.error.fix }];
}

/** Tasks that own what others may not touch: allowed, but a person is to know. */
const scopeWarnings = (state: RunState): readonly Finding[] =>
  selectedWaves(state).flatMap((wave) => protectWarnings(state.plan, wave.index));

function dryRun({ rehearsed, warnings }: Prepared): Outcome {
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
  return done(lines, { plan, hash, warnings });
}

/** What takes several lines to mend is set out below the problem, so that it can be pasted. */
function problemLines({ fix = '', ...finding }: Finding): readonly string[] {
  if (!fix.includes('\n')) return [`tidegate: ${findingText(fix === '' ? finding : { ...finding, fix })}`];
  return [`tidegate: ${findingText(finding)}; to mend it:`, ...fix.split('\n').map((line) => `  ${line}`)];
}

export function refusedPlan(findings: readonly Finding[], warnings: readonly Finding[]): Outcome {
  return {
    exit: exitCodes.usage,
    reason: 'plan-refused',
    problems: [...findings.flatMap(problemLines), 'nothing was started'],
    data: { findings, warnings },
  };
}

/** `<slug>-<4 chars>`, without characters that are mistaken for one another. */
export function newRunId(name: string, nonce: string): RunId {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const bytes = nonce.match(/../g)?.slice(0, 4) ?? [];
  const tail = bytes.map((byte) => alphabet[Number.parseInt(byte, 16) % alphabet.length]).join('');
  const id = `${name.slice(0, 59)}-${tail}`;
  if (!idPattern.test(id)) throw new Error(`${id} is not a run id`);
  return runId(id);
}

const wholeNumber = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);
