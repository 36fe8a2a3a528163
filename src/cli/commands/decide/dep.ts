import { dependenciesOf } from '../../../domain/dependencies/blocks.ts';
import type { Dependency } from '../../../domain/dependencies/dependency.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { knownRuns } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { repositoryDependencies } from '../../../view/dependency-lines.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { command, done, type Outcome, usageError } from '../../frame/command.ts';
import { resolveRun, resolveWholeRun } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

const verbs = ['add', 'list', 'resolve', 'cancel'] as const;

export const depCommand = command({
  name: 'dep',
  group: 'decide',
  summary: 'make a run wait for another run or a branch',
  arguments: {
    action: { about: 'add, list, resolve or cancel', required: true, choices: verbs },
    subject: {
      about: 'run or run/task for add; run for list (default: all runs); dependency for resolve and cancel',
      shown: 'run[/task]|dependency',
      completes: 'runs',
    },
  },
  options: {
    on: { value: 'run[/task]|branch', about: 'with add: the run, task or branch that it depends on' },
    optional: { about: 'with add: only show it; nothing waits for it' },
    message: { short: 'm', value: 'text', about: 'with add: what is needed; with resolve and cancel: the reason' },
  },
  help: 'A dependency on a run is resolved when that run lands on the target branch. Until then no wave of the dependent run closes, and the other run does not end.',
  changes: (input, repo) => depend(repo, input),
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
  const subject = await resolveRun(repo, 'dep', typed);
  if (!subject.ok) return subject.error;
  const name = partName(subject.value);
  const shown = `dep add ${name} --on ${on ?? '<run or branch>'} -m "what is needed"`;
  const refusal = refuseAgentAction(repo, 'add-dependency', shown);
  if (refusal !== null) return refusal;
  if (on === undefined) return usageError('no-end', `dep: say what it depends on: tidegate ${shown}`);
  if (message === undefined || message.trim() === '')
    return usageError('no-message', `dep: say what is needed, with -m: tidegate ${shown}`);
  const input = { on, required: !optional, text: message };
  return await actOn(repo, { action: 'add-dependency', subject: subject.value, input });
}

async function list(repo: RepositoryHandle, typed: string | undefined): Promise<Outcome> {
  const runs = (await knownRuns(repo.ledger)).flatMap(({ state }) => state ?? []);
  const subject = typed === undefined ? null : await resolveWholeRun(repo, 'dep', typed, 'newest');
  if (subject !== null && !subject.ok) return subject.error;
  const { lines, dependencies } = repositoryDependencies(runs, subject?.value.run ?? null);
  const none = subject === null ? 'There are no dependencies.' : `${subject.value.run} has no dependencies.`;
  return done(dependencies.length === 0 ? [none] : lines, { dependencies });
}

async function end(repo: RepositoryHandle, input: Input, how: 'resolved' | 'cancelled'): Promise<Outcome> {
  const { action, subject: typed = '', message } = input;
  const dependency = typed.split('/').at(-1) ?? '';
  if (!/^d[0-9]{1,9}$/.test(dependency))
    return usageError('bad-dependency', `dep: ${JSON.stringify(typed)} is not a dependency; see tidegate dep list`);
  const found = await ownerOf(repo, dependency);
  if (found === null)
    return usageError('unknown-dependency', `dep: there is no dependency ${dependency}; see tidegate dep list`);
  const shown = `dep ${action} ${dependency} -m "your reason"`;
  const refusal = refuseAgentAction(repo, 'end-dependency', shown);
  if (refusal !== null) return refusal;
  if (message === undefined || message.trim() === '')
    return usageError('no-message', `dep: say why, with -m: tidegate ${shown}`);
  const { state } = found;
  const given = { dependency, end: how, reason: message };
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
