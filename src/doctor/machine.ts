import { probeFence } from '../adapters/fence/probe.ts';
import { checkGit, GitUnusable } from '../adapters/git/process/index.ts';
import { gitReader, isAuthorKnown, readCheckoutState, trySigning } from '../adapters/git/read/index.ts';
import { countObjects } from '../adapters/git/stores/index.ts';
import { findRepository, locateStateDirectory, placeInputs } from '../adapters/state-directory/index.ts';
import { explain } from '../domain/explain/explain.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { uncommittedChanges } from '../domain/gates/preflight.ts';
import { policy } from '../domain/settings/policy.ts';
import type { Examined } from '../ports/repository-handle.ts';
import { agentExaminations } from './agents.ts';
import type { DoctorContext, Examination } from './context.ts';
import { toolchainExaminations } from './toolchains.ts';

/** The checks of `doctor`, in this order. */
export const examinations: readonly Examination[] = [
  ...[node, git, fence, repository, state],
  ...toolchainExaminations,
  // examined by the same functions as a run: a name, working signatures, and files that agents will not see
  ...[identity, signing, checkout],
  ...agentExaminations,
];

async function node(): Promise<Examined> {
  return { name: 'node', state: 'good', found: process.versions.node, fix: null };
}

async function git(): Promise<Examined> {
  try {
    return { name: 'git', state: 'good', found: await checkGit(), fix: null };
  } catch (error) {
    if (!(error instanceof GitUnusable)) throw error;
    return { name: 'git', state: 'bad', found: error.message, fix: 'sudo apt-get install git' };
  }
}

async function fence({ env }: DoctorContext): Promise<Examined> {
  const probe = probeFence(env);
  if (!probe.works) {
    const { detail: found, fix = null } = explain(probe.because);
    return { name: 'fence', state: 'bad', found, fix };
  }
  return { name: 'fence', state: 'good', found: `${probe.version}, agents run as uid ${probe.uid}`, fix: null };
}

async function repository({ cwd }: DoctorContext): Promise<Examined> {
  const found = await findRepository(cwd);
  if (!found.ok) return { name: 'repository', state: 'warning', found: found.error, fix: null };
  const { toplevel, commonDir } = found.value;
  const objects = await objectsIn(commonDir);
  if (objects <= policy.historyObjects) return { name: 'repository', state: 'good', found: toplevel, fix: null };
  const cut = `${objects} objects: agents see the newest ${policy.historyCommits} commits only`;
  return { name: 'repository', state: 'warning', found: `${toplevel}, ${cut}`, fix: null };
}

/** Zero without git, which has a line of its own. */
async function objectsIn(gitDir: string): Promise<number> {
  return await countObjects(gitDir).catch((error: unknown) => {
    if (error instanceof GitUnusable) return 0;
    throw error;
  });
}

async function state(context: DoctorContext): Promise<Examined> {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return { name: 'state', state: 'warning', found: 'needs a repository', fix: null };
  const place = await locateStateDirectory(repository.value, placeInputs(context));
  if (!place.ok) return { name: 'state', state: 'bad', found: place.error, fix: 'export TIDEGATE_STATE_DIR=<dir>' };
  const { path, filesystem, from, warnings } = place.value;
  const found = `${path} (${filesystem} file system, by ${from})`;
  if (warnings.length === 0) return { name: 'state', state: 'good', found, fix: null };
  return { name: 'state', state: 'warning', found: warnings.join('; '), fix: null };
}

async function identity(context: DoctorContext): Promise<Examined> {
  return await inRepository(context, 'identity', async (toplevel) => {
    if (await isAuthorKnown(toplevel, context.env)) return 'git knows your name and email';
    return { state: 'bad', finding: { rule: 'author' } };
  });
}

async function signing(context: DoctorContext): Promise<Examined> {
  return await inRepository(context, 'signing', async (toplevel) => {
    const finding = await trySigning(toplevel, context.env);
    return finding === null ? 'works, or is off' : { state: 'bad', finding };
  });
}

async function checkout(context: DoctorContext): Promise<Examined> {
  return await inRepository(context, 'checkout', async (toplevel) => {
    const state = await readCheckoutState(toplevel, context.env, []);
    const { branch } = state;
    if (branch === null) return { state: 'warning', finding: { rule: 'no-base' } };
    if ((await gitReader({ checkout: toplevel, repository: '' }).branchTip(branch)) === null)
      return { state: 'bad', finding: { rule: 'base-missing', branch } };
    const finding = uncommittedChanges(branch, [...state.changed, ...state.untracked], false);
    return finding === null ? 'everything is committed' : { state: 'warning', finding };
  });
}

type Finished = string | { readonly state: 'warning' | 'bad'; readonly finding: Finding };

async function inRepository(
  { cwd }: DoctorContext,
  name: string,
  examine: (toplevel: string) => Promise<Finished>,
): Promise<Examined> {
  const repository = await findRepository(cwd);
  if (!repository.ok) return { name, state: 'warning', found: 'needs a repository', fix: null };
  const result = await examine(repository.value.toplevel);
  if (typeof result === 'string') return { name, state: 'good', found: result, fix: null };
  const { detail, fix = null } = explain(result.finding);
  return { name, state: result.state, found: detail, fix };
}
