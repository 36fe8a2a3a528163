import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { agentKinds } from '../../agents/agents.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { uncommittedPaths } from '../../domain/gates/preflight.ts';
import { judgeLoad } from '../../domain/gates/start-gates.ts';
import { findingsIn } from '../../domain/gates/verdict.ts';
import { type DiskLimits, sizeBytes } from '../../domain/kept/disk.ts';
import type { FrozenPlan } from '../../domain/plan/plan.ts';
import { planText, sketchOfFiles } from '../../domain/plan/plan-text.ts';
import { repoClaims } from '../../domain/plan/repo-claim.ts';
import { settingsTable } from '../../domain/settings/layers.ts';
import { unlistedModels } from '../../domain/settings/network-hosts.ts';
import type { ResolvedSettings } from '../../domain/settings/settings.ts';
import type { PlanFlags, PlanSource, ReadPlan } from '../../ports/repository-handle.ts';
import { inspectLfs } from '../git/lfs/index.ts';
import { findSkippedHooks, gitReader, inspectRepository, readCheckoutState, readSmallText } from '../git/read/index.ts';
import { personsHome } from '../process/caller.ts';
import { findProgram } from '../process/program.ts';
import { cataloguesOn, definitionsAt, definitionsOn, matrixOn, modesAt, type Start, skillsOn } from './base-files.ts';
import { loadConfig, readConfirmations, userConfigFile } from './config.ts';
import { hashPlan, loadPlan, type PlanText } from './index.ts';

/** A checkout in which plans are read. */
export type PlanPlace = {
  readonly toplevel: string;
  /** Null: nothing counts as confirmed. */
  readonly stateDirectory: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True when the program of an agent is on this machine. */
  readonly isInstalled: (agent: string) => boolean;
};

/** The programs of agents are looked up on the PATH. */
export const planPlace = (toplevel: string, stateDirectory: string | null, env: PlanPlace['env']): PlanPlace => ({
  toplevel,
  stateDirectory,
  env,
  isInstalled: (agent) => findProgram(agentKinds[agent]?.program ?? '', env, (path) => path) !== null,
});

/** `branch` replaces the branch that is checked out. `start`: where the run starts if not on its branch. */
type ReadOptions = { readonly branch?: string | null; readonly start?: (base: string) => Promise<Start | null> };

/** Reads a plan with every layer around it, and checks that the repository can be worked on at all. Changes nothing. */
export async function readPlanAt(
  place: PlanPlace,
  planFile: string | PlanText,
  { branch = null, start = async () => null }: ReadOptions = {},
) {
  const { toplevel, env } = place;
  const { config } = await readConfigAt(place);
  const git = gitReader({ checkout: toplevel, repository: '' });
  const loaded = await loadPlan({
    root: toplevel,
    planFile,
    currentBranch: branch ?? (await git.currentBranch()),
    hasBranch: async (base) => (await git.branchTip(base)) !== null,
    config,
    skills: (base) => skillsOn(toplevel, base),
    catalogues: (base, paths) => cataloguesOn(toplevel, base, paths),
    matrix: (base, path) => matrixOn(toplevel, base, path),
    modes: async (base, paths) =>
      modesAt((await start(base)) ?? { repository: { cwd: toplevel }, ref: `refs/heads/${base}` }, paths),
    definitions: async (base, commands) => {
      const from = await start(base);
      const definitions = from === null ? null : await definitionsAt(from, commands);
      // without uncommitted changes a run starts on its branch
      return definitions === null || definitions.size === 0 ? definitionsOn(toplevel, base, commands) : definitions;
    },
  });
  const inspected = await inspectRepository(toplevel);
  const foreign = loaded.ok && inspected.errors.length === 0 ? await wrongRepository(loaded.plan, git) : [];
  const errors = [...inspected.errors, ...foreign];
  const unfetched = inspected.usesLfs ? await inspectLfs(toplevel, env) : [];
  const unlisted = loaded.ok ? unlistedModels(loaded.plan, env) : [];
  const pushes = loaded.ok && loaded.plan.land === 'pr';
  const hooks = loaded.ok && errors.length === 0 ? await findSkippedHooks(toplevel, env, { pushes }) : null;
  const warnings = [
    ...[...loaded.warnings, ...inspected.warnings, ...unfetched, ...unlisted],
    ...(hooks === null ? [] : [hooks]),
  ];
  if (loaded.ok && errors.length === 0)
    return { ...loaded, text: typeof planFile === 'string' ? null : planFile.text, warnings };
  const refused = loaded.ok ? { findings: [], unconfirmed: [], resolution: loaded.resolution } : loaded;
  return { ...refused, ok: false as const, findings: [...refused.findings, ...errors], warnings };
}

/** Applies the flags of a command to a plan, whose hash changes with them. */
export function underFlags(read: Result<ReadPlan, string>, { land, focus }: PlanFlags): Result<ReadPlan, string> {
  if (!read.ok || !read.value.ok) return read;
  const { plan: written } = read.value;
  const plan: FrozenPlan = {
    ...written,
    ...((land === 'branch' && written.land !== 'pr') || (land === 'auto' && written.land === 'ask') ? { land } : {}),
    ...(focus === null ? {} : { focus }),
  };
  return ok({ ...read.value, plan, hash: hashPlan(plan) });
}

/** Returns the text of an agent's draft. Its limit is below that of a person's own plan. */
export const readDraftText = (repository: string, commit: CommitId, file: string): Promise<Result<string, Finding>> =>
  readSmallText(repository, commit, file, 256 * 1024);

/** Judges by the gate of a run whether this is the repository that the plan is for. */
async function wrongRepository(plan: FrozenPlan, git: ReturnType<typeof gitReader>): Promise<readonly Finding[]> {
  const claims = repoClaims(plan);
  if (claims.length === 0) return [];
  const actual = { rootCommit: await git.rootCommit(), remotes: await git.remotes() };
  return findingsIn(judgeLoad({ findings: [], tasks: 1, expected: null, actual, claims }));
}

/** The settings of a repository without any plan. */
export async function readConfigAt({ toplevel, stateDirectory, env, isInstalled }: PlanPlace) {
  return await loadConfig({
    root: toplevel,
    userFile: userConfigFile(env, personsHome()),
    environment: env,
    confirmed: stateDirectory === null ? [] : await readConfirmations(stateDirectory),
    isInstalled,
  });
}

/** Returns the current settings of a repository, without any plan. */
export const readSettings = async (place: PlanPlace): Promise<ResolvedSettings> =>
  (await readConfigAt(place)).resolution.settings;

export async function readDiskLimits(place: PlanPlace): Promise<DiskLimits> {
  const { cap, free } = (await readSettings(place)).disk;
  return { cap: sizeBytes(cap), free: sizeBytes(free) };
}

/** The settings as `tidegate config` shows them, with those of a plan if it names one, and all that wait for a confirmation. */
export async function readSettingsTable(place: PlanPlace, cwd: string, planFile: string | null) {
  const { toplevel } = place;
  const { resolution, findings, unconfirmed } = await readConfigAt(place);
  const plan = planFile === null ? await onlyPlan(toplevel) : ok(relative(toplevel, resolve(cwd, planFile)));
  const loaded = plan.ok ? await readPlanAt(place, plan.value) : null;
  const waiting = [...unconfirmed, ...(loaded === null || loaded.ok ? [] : loaded.unconfirmed)];
  const shown = planFile === null ? null : loaded;
  return {
    table: settingsTable(shown?.resolution ?? resolution),
    findings: shown === null ? findings : shown.ok ? [] : shown.findings,
    unconfirmed: [...new Map(waiting.map((one) => [one.hash, one])).values()],
  };
}

/** A start in the checkout as it is, uncommitted files included. Null on another branch, which refuses the run later. */
export async function startInCheckout({ toplevel, env }: PlanPlace, base: string): Promise<Start | null> {
  const state = await readCheckoutState(toplevel, env, []);
  const changed = { checkout: toplevel, paths: uncommittedPaths(state) };
  return state.branch === base ? { repository: { cwd: toplevel }, ref: `refs/heads/${base}`, changed } : null;
}

/** Returns the plan that a person means: a file, the only plan of the repository, markdown files, or a text. */
export async function findPlan(
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
