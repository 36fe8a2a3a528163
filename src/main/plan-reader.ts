import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { findProgram } from '../agents/common/program.ts';
import { addConfirmations, readConfirmations } from '../adapters/confirmations.ts';
import { inspectLfs } from '../adapters/git/lfs/index.ts';
import {
  findSkippedHooks,
  gitReader,
  inspectRepository,
  readCheckoutState,
  readSmallText,
} from '../adapters/git/read/index.ts';
import { loadConfig, userConfigFile } from '../adapters/plan-files/config/index.ts';
import {
  definitionsAt,
  definitionsOn,
  loadPlan,
  type PlanText,
  type Start,
  skillsOn,
} from '../adapters/plan-files/index.ts';
import { callerOf } from '../adapters/process/caller.ts';
import { personsHome } from '../adapters/process/persons-name.ts';
import { writeNewFile } from '../adapters/project/index.ts';
import { findRepository, locateStateDirectory, makeStateDirectory } from '../adapters/state-directory/index.ts';
import type { Context } from '../cli/frame/command.ts';
import type { ConfigPorts, DraftText, PlanFiles, PlanReader } from '../cli/frame/ports.ts';
import { unlistedModels } from '../domain/agents/agent-hosts.ts';
import { agentKinds } from '../agents/agents.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RepoAttestation, RepoClaim } from '../domain/gates/evidence.ts';
import { uncommittedPaths } from '../domain/gates/preflight.ts';
import { judgeLoad } from '../domain/gates/start-gates.ts';
import { findingsIn } from '../domain/gates/verdict.ts';
import { type DiskLimits, sizeBytes } from '../domain/kept/disk.ts';
import type { FrozenPlan } from '../domain/plan/plan.ts';
import { planText, sketchOfFiles } from '../domain/plan/plan-text.ts';
import { repoClaims } from '../domain/plan/repo-claim.ts';
import { settingsTable } from '../domain/settings/layers.ts';
import type { ResolvedSettings } from '../domain/settings/settings.ts';
import { attest } from '../engine/orders/look-back.ts';
import type { PlanSource } from '../ports/repository-handle.ts';

/** Where a plan is read: the checkout, and where this repository keeps its state, if it may. */
type PlanPlace = {
  readonly toplevel: string;
  readonly stateDirectory: string | null;
  readonly env: Context['env'];
};

/** Which branch stands for the one checked out, and where the run starts if not on its branch. */
type ReadFor = { readonly branch?: string | null; readonly start?: (base: string) => Promise<Start | null> };

/** Reads a plan with every layer around it, and looks whether the repository can be worked on at all. Changes nothing. */
export async function readPlanAt(
  place: PlanPlace,
  planFile: string | PlanText,
  { branch = null, start = async () => null }: ReadFor = {},
) {
  const text = typeof planFile === 'string' ? null : planFile.text;
  const { toplevel } = place;
  const { config } = await readConfigAt(place);
  const git = gitReader({ checkout: toplevel, repository: '' });
  const currentBranch = branch ?? (await git.currentBranch());
  const loaded = await loadPlan({
    root: toplevel,
    planFile,
    currentBranch,
    hasBranch: async (base) => (await git.branchTip(base)) !== null,
    config,
    skills: (base) => skillsOn(toplevel, base),
    definitions: async (base, commands) => {
      const own = await start(base);
      const found = own === null ? null : await definitionsAt(own, commands);
      // nothing was uncommitted: it starts on its branch
      return found === null || found.size === 0 ? await definitionsOn(toplevel, base, commands) : found;
    },
  });
  const inspected = await inspectRepository(toplevel);
  const { warnings: doubts, usesLfs } = inspected;
  const claims = loaded.ok && inspected.errors.length === 0 ? repoClaims(loaded.plan) : [];
  const foreign = claims.length === 0 ? [] : wrongRepository(claims, await attest(git));
  const errors = [...inspected.errors, ...foreign];
  const unfetched = usesLfs ? await inspectLfs(toplevel, place.env) : [];
  const unlisted = loaded.ok ? unlistedModels(loaded.plan, place.env) : [];
  const skipped = loaded.ok && errors.length === 0 ? await hooksSkipped(toplevel, place.env, loaded.plan) : [];
  const warnings = [...loaded.warnings, ...doubts, ...unfetched, ...unlisted, ...skipped];
  if (loaded.ok && errors.length === 0) return { ...loaded, text, warnings };
  const own = loaded.ok ? { findings: [], unconfirmed: [], resolution: loaded.resolution } : loaded;
  return { ...own, ok: false as const, findings: [...own.findings, ...errors], warnings };
}

/** By the gate that a run is judged by. */
const wrongRepository = (claims: readonly RepoClaim[], actual: RepoAttestation): readonly Finding[] =>
  findingsIn(judgeLoad({ findings: [], tasks: 1, expected: null, actual, claims }));

async function hooksSkipped(toplevel: string, env: Context['env'], plan: FrozenPlan): Promise<readonly Finding[]> {
  const found = await findSkippedHooks(toplevel, env, { pushes: plan.land === 'pr' });
  return found === null ? [] : [found];
}

async function readConfigAt({ toplevel, stateDirectory, env }: PlanPlace) {
  return await loadConfig({
    root: toplevel,
    userFile: userConfigFile(env, personsHome()),
    environment: env,
    flags: {},
    confirmed: stateDirectory === null ? [] : await readConfirmations(stateDirectory),
    isInstalled: (agent) => findProgram(agentKinds[agent]?.program ?? '', env, (path) => path) !== null,
  });
}

/** The settings of the repository that a command was called in, without any plan. */
export async function readConfig(context: Context) {
  const place = await placeOf(context);
  return place.ok ? ok({ toplevel: place.value.toplevel, ...(await readConfigAt(place.value)) }) : place;
}

/** As they hold now, without any plan. */
export async function readSettings(
  toplevel: string,
  stateDirectory: string,
  env: Context['env'],
): Promise<ResolvedSettings> {
  return (await readConfigAt({ toplevel, stateDirectory, env })).resolution.settings;
}

/** As they hold now, without any plan: what is on the disk belongs to all runs of a repository. */
export async function readDiskLimits(
  toplevel: string,
  stateDirectory: string,
  env: Context['env'],
): Promise<DiskLimits> {
  const { cap, free } = (await readSettings(toplevel, stateDirectory, env)).disk;
  return { cap: sizeBytes(cap), free: sizeBytes(free) };
}

/** The same of how many attempts may be at work at once. */
export async function readAgentsAtOnce(toplevel: string, stateDirectory: string, env: Context['env']): Promise<number> {
  return (await readSettings(toplevel, stateDirectory, env)).machine.agents;
}

/** The same of how people are told that they are needed. */
export async function readNotifySetting(toplevel: string, stateDirectory: string, env: Context['env']) {
  return (await readSettings(toplevel, stateDirectory, env)).notify;
}

export const readPlan: PlanReader = async (context, source, { uncommitted = false } = {}) => {
  const place = await placeOf(context);
  if (!place.ok) return place;
  const named = await planNamed(place.value.toplevel, context.cwd, source);
  const branch = 'branch' in source ? source.branch : null;
  const start = async (base: string) => (uncommitted ? await startInCheckout(place.value, base) : null);
  return named.ok ? ok(await readPlanAt(place.value, named.value, { branch, start })) : named;
};

/** With the files that no commit holds; null when another branch is checked out, which refuses the run later. */
async function startInCheckout({ toplevel, env }: PlanPlace, base: string): Promise<Start | null> {
  const state = await readCheckoutState(toplevel, env, []);
  const changed = { checkout: toplevel, paths: uncommittedPaths(state) };
  return state.branch === base ? { repository: { cwd: toplevel }, ref: `refs/heads/${base}`, changed } : null;
}

async function planNamed(
  toplevel: string,
  cwd: string,
  source: PlanSource,
): Promise<Result<string | PlanText, string>> {
  if ('text' in source) return ok(source);
  if ('waves' in source) return ok({ text: planText(source, 'Made by tidegate go'), isSketch: true });
  const files = source.map((file) => relative(toplevel, resolve(cwd, file)));
  const tasks = files.filter((file) => /\.md$/i.test(file));
  const [only] = files;
  if (only === undefined) return await onlyPlan(toplevel);
  if (tasks.length < files.length && tasks.length > 0)
    return err('plans and markdown files do not mix; name one plan, or only markdown files, each of them a task');
  if (tasks.length === 0)
    return files.length === 1 ? ok(only) : err(`which plan? ${files.join(', ')}; one run has one`);
  const sketch = sketchOfFiles(tasks);
  return sketch.ok ? ok({ text: planText(sketch.value, 'Made of markdown files'), isSketch: true }) : sketch;
}

/** A plan of a person may have more: it is not their machine that has to be kept from them. */
const longestDraft = 256 * 1024;

export const draftText: DraftText = (repository, commit, file) => readSmallText(repository, commit, file, longestDraft);

/** A plan that a run has, read once more: the branch that the run began on stands for the one checked out now. */
export async function rereadPlan(context: Context, planFile: string, branch: string, start: Start | null) {
  const place = await placeOf(context);
  return place.ok ? ok(await readPlanAt(place.value, planFile, { branch, start: async () => start })) : place;
}

export const configPorts: ConfigPorts = {
  async read(context, planFile) {
    const place = await placeOf(context);
    if (!place.ok) return place;
    const { resolution, findings, unconfirmed } = await readConfigAt(place.value);
    const { toplevel } = place.value;
    const plan = planFile === null ? await onlyPlan(toplevel) : ok(relative(toplevel, resolve(context.cwd, planFile)));
    const planned = plan.ok ? await readPlanAt(place.value, plan.value) : null;
    const more = planned === null || planned.ok ? [] : planned.unconfirmed;
    const all = new Map([...unconfirmed, ...more].map((one) => [one.hash, one]));
    const shown = planFile === null || planned === null ? null : planned;
    return ok({
      table: settingsTable(shown?.resolution ?? resolution),
      findings: shown === null ? findings : shown.ok ? [] : shown.findings,
      unconfirmed: [...all.values()],
    });
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

export const planFileAccess: PlanFiles = {
  read: readOptional,
  async write(path, text) {
    try {
      return (await writeNewFile(path, text, { replace: false })) === 'written' ? 'written' : 'exists';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'no-folder';
      throw error;
    }
  },
  isThere: (path) =>
    lstat(path).then(
      () => true,
      () => false,
    ),
  resolve,
};

/** Looking works without a state directory, too: then nothing counts as confirmed. */
async function placeOf(context: Context): Promise<Result<PlanPlace, string>> {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return repository;
  const located = await locate(context);
  const stateDirectory = located.ok ? located.value.state.path : null;
  return ok({ toplevel: repository.value.toplevel, stateDirectory, env: context.env });
}

const uid = process.getuid?.() ?? -1;

async function locate({ cwd, env, stateRoot }: Context) {
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const state = await locateStateDirectory(repository.value, { flag: stateRoot, env, uid, home: personsHome() });
  return state.ok ? ok({ repository: repository.value, state: state.value }) : state;
}

/** `tidegate.plan.yaml`, or the one plan that lies beside it. */
async function onlyPlan(toplevel: string): Promise<Result<string, string>> {
  const names = (await readdir(toplevel)).filter((name) => /\.plan\.ya?ml$/.test(name)).sort();
  const usual = names.find((name) => name.startsWith('tidegate.plan.'));
  const chosen = usual ?? (names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined) return ok(chosen);
  if (names.length > 1) return err(`which plan? ${names.join(', ')}`);
  return err(
    `there is no ${join(toplevel, 'tidegate.plan.yaml')}; name a plan, or make a sample with tidegate init --sample`,
  );
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
