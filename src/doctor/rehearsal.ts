import { randomBytes } from 'node:crypto';
import { probeFence } from '../adapters/fence/probe.ts';
import { gitReader, inspectRepository } from '../adapters/git/read/index.ts';
import { freeze, hashPlan } from '../adapters/plan-files/freeze.ts';
import { findRepository, locateStateDirectory, placeInputs } from '../adapters/state-directory/index.ts';
import { takesCommand } from '../agents/agents.ts';
import { describeFinding, explain } from '../domain/explain/explain.ts';
import { installAgent } from '../domain/explain/text.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunOrder } from '../domain/ledger/requests.ts';
import { diagnose } from '../domain/run/rehearsal.ts';
import { defaultSettings, type ResolvedSettings, setupCommand } from '../domain/settings/settings.ts';
import { isDone, type Tried, tryChecks } from '../engine/jobs/try-checks.ts';
import { attest } from '../engine/orders/create-run.ts';
import { newRunId } from '../engine/orders/order-run.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import type { Rehearsal } from '../ports/repository-handle.ts';
import { agentExaminations } from './agents.ts';
import { type DoctorContext, readConfig } from './context.ts';
import { type OwnProcesses, openScratch } from './scratch-state.ts';

type Context = DoctorContext & { readonly version: string };

/** Tries setup, checks and agents like a run, before any token is spent, and leaves nothing behind. Resolves early after `stop`. */
export async function rehearseSetup(context: Context, rehearsal: Rehearsal, processes: OwnProcesses): Promise<void> {
  rehearsal.step('looking at the repository');
  const ready = await prepare(context, rehearsal);
  if (ready?.order != null) await onScratch(context, rehearsal, { ...ready, order: ready.order }, processes);
  if (!rehearsal.stop.aborted) await agents(context, rehearsal, (ready?.settings ?? defaultSettings).agent);
}

type Ready = { readonly settings: ResolvedSettings; readonly order: RunOrder };

/** Null when a problem was reported. Without an order, setup and checks cannot be tried. */
async function prepare(
  context: Context,
  { examined }: Rehearsal,
): Promise<(Pick<Ready, 'settings'> & { readonly order: RunOrder | null }) | null> {
  const bad = (name: string, found: string, fix: string | null) => {
    examined({ name, state: 'bad', found, fix });
    return null;
  };
  const config = await readConfig(context);
  if (!config.ok) return bad('repository', config.error, null);
  const { toplevel, findings, resolution } = config.value;
  const { settings } = resolution;
  if (findings.length > 0) return bad('config', findingsText(findings), firstFix(findings) ?? 'tidegate config');
  const probe = settings.fence.mode === 'none' ? null : probeFence(context.env);
  if (probe?.works === false) return bad('fence', describeFinding(probe.because), firstFix([probe.because]));
  const { errors } = await inspectRepository(toplevel);
  if (errors.length > 0) return bad('repository', findingsText(errors), firstFix(errors));
  const git = gitReader({ checkout: toplevel, repository: '' });
  const branch = settings.base ?? (await git.currentBranch());
  if (branch === null) return bad('base', 'no branch is checked out', 'git switch <branch>');
  const commit = await git.branchTip(branch);
  if (commit === null) return bad('base', `${branch} has no commit yet`, 'git commit --allow-empty -m "First commit"');
  if (probe === null) {
    const found = 'off, as you set it; setup and checks would run as you, so they are not tried';
    examined({ name: 'fence', state: 'warning', found, fix: 'tidegate config --origin' });
    return { settings, order: null };
  }
  examined({ name: 'fence', state: 'good', found: probe.version, fix: null });
  const plan = freeze({ settings: { ...settings, land: 'branch' }, waves: [nothingToDo] }, 'rehearsal', branch);
  const order: RunOrder = {
    run: newRunId('rehearsal', randomBytes(16).toString('hex')),
    plan,
    hash: hashPlan(plan),
    planFile: 'tidegate.yaml',
    repo: await attest(git),
    target: { branch, commit },
    wave: null,
    landing: 'as-planned',
    approves: [],
    tidegate: context.version,
  };
  return { settings, order };
}

/** A plan needs a task; this one never starts. */
const nothingToDo = {
  name: null,
  closure: null,
  place: [],
  tasks: [
    {
      id: 'nothing',
      wave: 0,
      place: [],
      file: null,
      text: 'Do nothing.\n',
      hasFrontMatter: false,
      keys: { owns: [], agent: 'command', command: ['true'] },
    },
  ],
};

async function onScratch(
  context: Context,
  rehearsal: Rehearsal,
  { settings, order }: Ready,
  processes: OwnProcesses,
): Promise<void> {
  const { examined, step, stop } = rehearsal;
  const setup = setupCommand(settings.setup);
  step(`making a copy of the repository${setup === null ? '' : `, then ${setup}`}`);
  const repository = await findRepository(context.cwd);
  if (!repository.ok) throw new Error(repository.error);
  const inputs = placeInputs(context);
  const located = await locateStateDirectory(repository.value, inputs);
  const opened = located.ok ? await openScratch(processes, repository.value, located.value, inputs) : located;
  if (!opened.ok) {
    examined({ name: 'state', state: 'bad', found: opened.error, fix: 'export TIDEGATE_STATE_DIR=<dir>' });
    return;
  }
  await using scratch = opened.value;
  const names = settings.checks.map(({ name }) => name);
  try {
    for await (const tried of tryChecks(scratch, order, stop)) {
      if (stop.aborted) return;
      report(rehearsal, tried, { settings, order });
      const next = settings.checks[tried.check === null ? 0 : names.indexOf(tried.check.name) + 1];
      if (next !== undefined) step(next.run);
    }
  } catch (error) {
    if (!(error instanceof EnvironmentFailed)) throw error;
    examined({ name: 'base', state: 'bad', found: error.message, fix: explain(error.finding).fix ?? null });
  }
}

function report({ examined }: Rehearsal, { check, record }: Tried, { settings, order }: Ready): void {
  const setup = setupCommand(settings.setup);
  const name = check === null ? 'setup' : `check ${check.name}`;
  const command = check?.run ?? setup ?? 'workspace';
  if (isDone(record)) {
    const found = check === null && setup === null ? 'not needed; a workspace was made' : command;
    examined({ name, state: 'good', found, fix: null });
    return;
  }
  const { ending, tail } = record;
  const problem = { check: check?.name ?? null, command, ending, tail, branch: order.target.branch };
  examined({ name, state: 'bad', ...diagnose({ ...problem, setup }) });
}

/** Examines the installed agents. `chain` holds the agents of a task that names none. */
async function agents(context: Context, { examined, step, stop }: Rehearsal, chain: readonly string[]): Promise<void> {
  const candidates = chain.filter((name) => !takesCommand(name));
  const needsNone = candidates.length < chain.length;
  const installed = new Set<string>();
  for (const examine of agentExaminations) {
    if (stop.aborted) return;
    step('agents');
    const row = await examine(context);
    if (row.isMissing) continue;
    installed.add(row.name);
    examined({ ...row, ...(candidates.includes(row.name) && !needsNone ? { isAgent: true } : {}) });
  }
  if (needsNone || candidates.some((name) => installed.has(name))) return;
  const none = `none of ${candidates.join(', ')} is on the PATH`;
  examined({ name: 'agents', state: 'warning', found: none, fix: installAgent, isAgent: true });
}

const findingsText = (findings: readonly Finding[]): string => findings.map(describeFinding).join('; ');

const firstFix = ([first]: readonly Finding[]): string | null =>
  (first === undefined ? undefined : explain(first).fix) ?? null;
