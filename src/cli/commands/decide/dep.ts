import { ok } from '../../../domain/base/result.ts';
import { dependenciesOf } from '../../../domain/dependencies/blocks.ts';
import type { Dependency } from '../../../domain/dependencies/dependency.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { findSubject, knownRuns, readRepository } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { repositoryDependencies } from '../../../view/dependency-lines.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { command, done, type Outcome, usageError } from '../../frame/command.ts';
import { repositorySubject, resolveRun, resolveWholeRun, withRepository } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

const verbs = ['add', 'list', 'resolve', 'cancel'] as const;

export const depCommand = command({
  name: 'dep',
  group: 'decide',
  summary: 'make a run or a branch wait for another run or a branch',
  arguments: {
    action: { about: 'add, list, resolve or cancel', required: true, choices: verbs },
    subject: {
      about: 'run, run/task or branch for add; run for list (default: all runs); dependency for resolve and cancel',
      shown: 'run[/task]|branch|dependency',
      completes: 'runs',
    },
  },
  options: {
    on: { value: 'run[/task]|branch', about: 'with add: the run, task or branch that it depends on' },
    optional: { about: 'with add: only show it; nothing waits for it' },
    message: { short: 'm', value: 'text', about: 'with add: what is needed; with resolve and cancel: the reason' },
  },
  help: 'A dependency on a run is resolved when that run lands on the target branch. Until then no wave of the dependent run closes, and the other run does not end. While a branch depends on something, nothing else lands on it.',
  // a branch can depend on another one before there is any run
  run: (input, context, { ports }) =>
    withRepository(ports.openRepository, context, input.action === 'add' ? 'act' : 'ask', (repo) =>
      depend(repo, input),
    ),
});

type Input = {
  readonly action: string;
  readonly subject: string | undefined;
  readonly on: string | undefined;
  readonly optional: boolean;
  readonly message: string | undefined;
};

async function depend(repo: RepositoryHandle, input: Input): Promise<Outcome> {
  switch (verbs.find((verb) => verb === input.action)) {
    case 'add':
      return await add(repo, input);
    case 'list':
      return await list(repo, input.subject);
    case 'resolve':
      return await end(repo, input, 'resolved');
    case 'cancel':
      return await end(repo, input, 'cancelled');
    case undefined:
      return usageError('bad-action', `dep: ${JSON.stringify(input.action)} is not ${verbs.join(', ')}`);
  }
}

async function add(repo: RepositoryHandle, { subject: typed, on, optional, message }: Input): Promise<Outcome> {
  if (typed === undefined)
    return usageError('no-run', 'dep: name a run: tidegate dep add <run> --on <run or branch> -m "what is needed"');
  const branch = await branchNamed(repo, typed);
  const subject = branch === null ? await resolveRun(repo, 'dep', typed) : ok(null);
  if (!subject.ok) return subject.error;
  const name = subject.value === null ? typed : partName(subject.value);
  const shown = `dep add ${name} --on ${on ?? '<run or branch>'} -m "what is needed"`;
  const refusal = refuseAgentAction(repo, 'add-dependency', shown);
  if (refusal !== null) return refusal;
  if (on === undefined) return usageError('no-end', `dep: say what it depends on: tidegate ${shown}`);
  if (message === undefined || message.trim() === '')
    return usageError('no-message', `dep: say what is needed, with -m: tidegate ${shown}`);
  const input = { on, required: !optional, text: message };
  if (branch === null && subject.value !== null)
    return await actOn(repo, { action: 'add-dependency', subject: subject.value, input });
  const above = await repositorySubject(repo);
  return await actOn(repo, {
    action: 'add-branch-dependency',
    subject: above,
    input: { ...input, branch: branch ?? '' },
  });
}

/** A run comes before a branch of the same name, unless the branch is typed as `branch:<name>`. Null when it names no branch. */
async function branchNamed(repo: RepositoryHandle, typed: string): Promise<string | null> {
  if (typed.startsWith('branch:')) return typed.slice('branch:'.length);
  const runs = await knownRuns(repo.ledger);
  if (findSubject(runs, typed).ok) return null;
  return (await repo.git.branchTip(typed)) === null ? null : typed;
}

async function list(repo: RepositoryHandle, typed: string | undefined): Promise<Outcome> {
  const runs = (await knownRuns(repo.ledger)).flatMap(({ state }) => state ?? []);
  const subject = typed === undefined ? null : await resolveWholeRun(repo, 'dep', typed, 'newest');
  if (subject !== null && !subject.ok) return subject.error;
  const { dependencies: ofBranches } = await readRepository(repo.ledger);
  const { lines, dependencies } = repositoryDependencies(runs, subject?.value.run ?? null, ofBranches);
  const none = subject === null ? 'There are no dependencies.' : `${subject.value.run} has no dependencies.`;
  return done(dependencies.length === 0 ? [none] : lines, { dependencies });
}

async function end(repo: RepositoryHandle, input: Input, how: 'resolved' | 'cancelled'): Promise<Outcome> {
  const { action, subject: typed = '', message } = input;
  const parts = typed.split('/');
  const dependency = parts.at(-1) ?? '';
  if (parts.length > 2 || !/^d[0-9]{1,9}$/.test(dependency))
    return usageError('bad-dependency', `dep: ${JSON.stringify(typed)} is not a dependency; see tidegate dep list`);
  const above = await repositorySubject(repo);
  const isOfBranch = (above.repository.dependencies ?? []).some(({ id }) => id === dependency);
  const found = isOfBranch ? null : await ownerOf(repo, dependency);
  if (found === null && !isOfBranch)
    return usageError('unknown-dependency', `dep: there is no dependency ${dependency}; see tidegate dep list`);
  const named = parts.length === 2 ? await resolveWholeRun(repo, 'dep', parts[0] ?? '', 'newest') : null;
  if (named !== null && !named.ok) return named.error;
  if (named !== null && named.value.run !== found?.state.run) {
    const owner = found === null ? 'a branch' : found.state.run;
    return usageError('wrong-run', `dep: ${dependency} is a dependency of ${owner}, not of ${named.value.run}`);
  }
  const shown = `dep ${action} ${dependency} -m "your reason"`;
  const refusal = refuseAgentAction(repo, 'end-dependency', shown);
  if (refusal !== null) return refusal;
  if (message === undefined || message.trim() === '')
    return usageError('no-message', `dep: say why, with -m: tidegate ${shown}`);
  const given = { dependency, end: how, reason: message };
  if (found === null) return await actOn(repo, { action: 'end-branch-dependency', subject: above, input: given });
  const { state } = found;
  return await actOn(repo, { action: 'end-dependency', subject: { run: state.run, state }, input: given });
}

/** Finds the run that has the dependency. */
async function ownerOf(
  repo: RepositoryHandle,
  id: string,
): Promise<{ readonly state: RunState; readonly dependency: Dependency } | null> {
  for (const { state } of await knownRuns(repo.ledger)) {
    const dependency =
      state === null ? undefined : dependenciesOf(state).find((one) => one.id === id && one.side === 'requires');
    if (state !== null && dependency !== undefined) return { state, dependency };
  }
  return null;
}
