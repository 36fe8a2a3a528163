import { personsHome } from '../../adapters/process/persons-name.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { Examine } from '../../cli/frame/ports.ts';
import { policy } from '../../domain/settings/policy.ts';
import type { Examined } from '../../ports/repository-handle.ts';
import { agentExaminations } from './agents.ts';
import { checkoutExaminations } from './checkout.ts';
import { toolchainExaminations } from './toolchains.ts';

/** What `doctor` looks at, in this order. */
export const examinations: readonly Examine[] = [
  ...[node, git, fence, repository, state],
  ...toolchainExaminations,
  ...checkoutExaminations,
  ...agentExaminations,
];

async function node(): Promise<Examined> {
  return { name: 'node', state: 'good', found: process.versions.node, fix: null };
}

async function git(): Promise<Examined> {
  const { checkGit, GitUnusable } = await import('../../adapters/git/process/index.ts');
  try {
    return { name: 'git', state: 'good', found: await checkGit(), fix: null };
  } catch (error) {
    if (!(error instanceof GitUnusable)) throw error;
    return { name: 'git', state: 'bad', found: error.message, fix: 'sudo apt-get install git' };
  }
}

async function fence({ env }: Context): Promise<Examined> {
  const { probeFence } = await import('../../adapters/fence/probe.ts');
  const probe = probeFence(env);
  if (!probe.works) {
    const { explain } = await import('../../domain/explain/explain.ts');
    const { detail: found, fix = null } = explain(probe.because);
    return { name: 'fence', state: 'bad', found, fix };
  }
  return { name: 'fence', state: 'good', found: `${probe.version}, agents run as uid ${probe.uid}`, fix: null };
}

async function repository({ cwd }: Context): Promise<Examined> {
  const { findRepository } = await import('../../adapters/state-directory/index.ts');
  const found = await findRepository(cwd);
  if (!found.ok) return { name: 'repository', state: 'warning', found: found.error, fix: null };
  const { toplevel, commonDir } = found.value;
  const objects = await objectsIn(commonDir);
  if (objects <= policy.historyObjects) return { name: 'repository', state: 'good', found: toplevel, fix: null };
  const cut = `${objects} objects: agents see the newest ${policy.historyCommits} commits only`;
  return { name: 'repository', state: 'warning', found: `${toplevel}, ${cut}`, fix: null };
}

/** None that we know of where there is no git: the line about git says so. */
async function objectsIn(gitDir: string): Promise<number> {
  const [{ countObjects }, { GitUnusable }] = await Promise.all([
    import('../../adapters/git/stores/index.ts'),
    import('../../adapters/git/process/index.ts'),
  ]);
  return await countObjects(gitDir).catch((error: unknown) => {
    if (error instanceof GitUnusable) return 0;
    throw error;
  });
}

async function state({ cwd, env, stateRoot }: Context): Promise<Examined> {
  const { findRepository, locateStateDirectory } = await import('../../adapters/state-directory/index.ts');
  const repository = await findRepository(cwd);
  if (!repository.ok) return { name: 'state', state: 'warning', found: 'is kept per repository', fix: null };
  const surroundings = { flag: stateRoot, env, uid: process.getuid?.() ?? -1, home: personsHome() };
  const place = await locateStateDirectory(repository.value, surroundings);
  if (!place.ok) return { name: 'state', state: 'bad', found: place.error, fix: 'export TIDEGATE_STATE_DIR=<dir>' };
  const { path, filesystem, from, warnings } = place.value;
  const found = `${path} (${filesystem} file system, by ${from})`;
  if (warnings.length === 0) return { name: 'state', state: 'good', found, fix: null };
  return { name: 'state', state: 'warning', found: warnings.join('; '), fix: null };
}
