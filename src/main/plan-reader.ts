import { readSmallText } from '../adapters/git/read/index.ts';
import { addConfirmations } from '../adapters/plan-files/config.ts';
import type { Start } from '../adapters/plan-files/index.ts';
import {
  findPlan,
  type PlanPlace,
  readConfigAt,
  readPlanAt,
  readSettingsTable,
  startInCheckout,
} from '../adapters/plan-files/repository-plan.ts';
import { callerOf, personsHome } from '../adapters/process/caller.ts';
import { findRepository, locateStateDirectory, makeStateDirectory } from '../adapters/state-directory/index.ts';
import { agentKinds } from '../agents/agents.ts';
import { findProgram } from '../agents/common/program.ts';
import type { Context } from '../cli/frame/command.ts';
import type { ConfigPorts, DraftText, PlanReader } from '../cli/frame/ports.ts';
import { ok, type Result } from '../domain/base/result.ts';
import { type DiskLimits, sizeBytes } from '../domain/kept/disk.ts';
import type { ResolvedSettings } from '../domain/settings/settings.ts';

export const readPlan: PlanReader = async (context, source, { uncommitted = false } = {}) => {
  const place = await placeOf(context);
  if (!place.ok) return place;
  const plan = await findPlan(place.value.toplevel, context.cwd, source);
  const branch = 'branch' in source ? source.branch : null;
  const start = async (base: string) => (uncommitted ? await startInCheckout(place.value, base) : null);
  return plan.ok ? ok(await readPlanAt(place.value, plan.value, { branch, start })) : plan;
};

/** Reads the plan of a run once more. The branch that the run began on replaces the one that is checked out now. */
export async function rereadPlan(context: Context, planFile: string, branch: string, start: Start | null) {
  const place = await placeOf(context);
  return place.ok ? ok(await readPlanAt(place.value, planFile, { branch, start: async () => start })) : place;
}

/** The limit for an agent's draft. A person's own plan may be longer. */
const longestDraft = 256 * 1024;
export const draftText: DraftText = (repository, commit, file) => readSmallText(repository, commit, file, longestDraft);

/** The settings of the repository that a command was called in, without any plan. */
export async function readConfig(context: Context) {
  const place = await placeOf(context);
  return place.ok ? ok({ toplevel: place.value.toplevel, ...(await readConfigAt(place.value)) }) : place;
}

/** The current settings of a repository, without any plan. */
export async function readSettings(
  toplevel: string,
  stateDirectory: string,
  env: Context['env'],
): Promise<ResolvedSettings> {
  return (await readConfigAt(planPlace(toplevel, stateDirectory, env))).resolution.settings;
}

export async function readDiskLimits(
  toplevel: string,
  stateDirectory: string,
  env: Context['env'],
): Promise<DiskLimits> {
  const { cap, free } = (await readSettings(toplevel, stateDirectory, env)).disk;
  return { cap: sizeBytes(cap), free: sizeBytes(free) };
}

export const configPorts: ConfigPorts = {
  async read(context, planFile) {
    const place = await placeOf(context);
    return place.ok ? ok(await readSettingsTable(place.value, context.cwd, planFile)) : place;
  },
  async confirm(context, hashes) {
    const located = await locate(context);
    const made = located.ok ? await makeStateDirectory(located.value.state, uid) : located;
    if (!made.ok) return made;
    await addConfirmations(made.value.path, hashes);
    return ok(undefined);
  },
  agent: ({ env }) => callerOf(env, { name: '', terminal: true }).agent,
};

/** Reading works without a state directory, too: then nothing counts as confirmed. */
async function placeOf(context: Context): Promise<Result<PlanPlace, string>> {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return repository;
  const located = await locate(context);
  const stateDirectory = located.ok ? located.value.state.path : null;
  return ok(planPlace(repository.value.toplevel, stateDirectory, context.env));
}

export const planPlace = (toplevel: string, stateDirectory: string | null, env: Context['env']): PlanPlace => ({
  toplevel,
  stateDirectory,
  env,
  isInstalled: (agent) => findProgram(agentKinds[agent]?.program ?? '', env, (path) => path) !== null,
});

const uid = process.getuid?.() ?? -1;

async function locate({ cwd, env, stateRoot }: Context) {
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const state = await locateStateDirectory(repository.value, { flag: stateRoot, env, uid, home: personsHome() });
  return state.ok ? ok({ repository: repository.value, state: state.value }) : state;
}
