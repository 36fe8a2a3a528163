import { agentKinds, usualNetwork } from '../../agents/agents.ts';
import type { CommitId, TreeId } from '../../domain/base/ids.ts';
import { present } from '../../domain/base/result.ts';
import { inboxOf, summaryText } from '../../domain/board/views.ts';
import type { ReportNames } from '../../domain/closure/report.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { Check, FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import { allowance } from '../../domain/run/costs.ts';
import { type RunState, waveOf } from '../../domain/run/run.ts';
import type { Attempt } from '../../domain/run/task.ts';
import { generatorMinutes, generators } from '../../domain/scope/claims.ts';
import { protectedConfig } from '../../domain/scope/ownership.ts';
import { toolScopeOf } from '../../domain/tool-calls/tool-scope.ts';
import { grantedIn } from '../../pipeline/step.ts';
import type { Job, ShellJob, Terms } from '../../ports/supervisor.ts';
import { docsItems } from '../prompt/role-sections.ts';

export type JobPlaces = { readonly state: StateDir; readonly checkout: string; readonly runDirectory: string };

/** Builds the job of an attempt from the ledger alone, so that a restart builds the same. */
export function attemptJob(
  places: JobPlaces,
  state: RunState,
  task: PlannedTask,
  attempt: Attempt,
  brief: string,
): Job {
  const { plan } = state;
  return {
    ...common(places),
    id: attempt.id,
    nonce: attempt.nonce,
    kind: 'attempt',
    ...present({ closes: task.closes, markers: task.markers, names: namesOf(state, task) }),
    from: attempt.from,
    base: attempt.base,
    argv: task.command ?? [],
    ...driven(state, task, { ...attempt, usd: allowanceOf(state, task) }),
    terms: termsOf(state, task),
    brief,
    ...setupOf(plan),
    isPersons: attempt.from === state.began,
    teardown: plan.teardown,
    fence: { ...plan.fence, network: plan.fence.network ?? usualNetwork(attempt.agent) },
    environment: {
      ...surroundingsOf(state, task.id),
      TIDEGATE_ATTEMPT: attempt.id,
      TIDEGATE_NONCE: attempt.nonce,
    },
    minutes: plan.limits.minutes,
    silence: plan.limits.silence,
    ...wantedOf(task),
    readOnly: protectedPaths(state, task, attempt.agent),
  };
}

function namesOf(state: RunState, task: PlannedTask): ReportNames | undefined {
  const { closes, environments } = task;
  if (closes === 'deploy' && environments !== undefined) return { environments };
  return closes === 'docs' ? { items: docsItems(state, task) } : undefined;
}

function wantedOf({ deliverables, artifacts = [] }: PlannedTask): Pick<Job, 'evidence'> {
  const isEmpty = deliverables.length === 0 && artifacts.length === 0;
  return isEmpty ? {} : { evidence: { deliverables, proofs: artifacts } };
}

const setupOf = ({ setup, setupInputs }: FrozenPlan): Pick<Job, 'setup' | 'setupInputs'> =>
  setupInputs === undefined ? { setup } : { setup, setupInputs };

const protectedPaths = (state: RunState, task: PlannedTask, agent: string): readonly string[] => [
  ...protectedConfig(state.plan, task, grantedIn(state)),
  ...(agentKinds[agent]?.standIns ?? []),
];

/** How the agent of an attempt, or of the orchestrator, is driven. */
export function driven(
  state: RunState,
  task: PlannedTask,
  attempt: Pick<Attempt, 'agent' | 'session'> & { readonly usd: number },
): Pick<Job, 'executor' | 'agent'> {
  const { plan } = state;
  const kind = agentKinds[attempt.agent];
  if (kind === undefined) throw new Error(`there is no agent ${attempt.agent}`);
  const { executor, drives, credentials, variables, login } = kind;
  const [program, ...always] = kind.program === '' ? (task.command ?? ['']) : [kind.program, ...kind.arguments];
  if (executor === 'command') return { executor, agent: null };
  return {
    executor,
    agent: {
      program: program ?? '',
      arguments: always,
      ...present({ drives }),
      credentials,
      variables,
      ...present({ login }),
      model: task.model,
      turns: plan.limits.turns,
      usd: attempt.usd,
      session: attempt.session,
      scope: toolScopeOf(plan, task, grantedIn(state)),
      breaker: plan.breaker ?? 'normal',
    },
  };
}

/** Returns the terms of a running attempt, which change when people grant or raise something or write to it. */
export function termsOf(state: RunState, task: PlannedTask): Terms {
  const { records, more } = inboxOf(state, task.id);
  return {
    scope: toolScopeOf(state.plan, task, grantedIn(state)),
    usd: allowanceOf(state, task),
    inbox: records,
    more,
    wave: summaryText(state, waveOf(state, task.id), records),
  };
}

const allowanceOf = (state: RunState, { id }: PlannedTask): number => {
  const task = state.tasks[id];
  return task === undefined ? 0 : allowance(state, task);
};

/**
 * Builds the fence of a task's agent for a person who looks at its work. Nothing in it can act for the attempt, and the logins of
 * agents stay outside. The product of setup for a commit of the person serves here too, if its inputs are the same.
 */
export function shellJob(
  places: JobPlaces,
  state: RunState,
  task: PlannedTask,
  at: { readonly commit: CommitId; readonly base: CommitId; readonly agent: string; readonly nonce: string },
): ShellJob {
  const { plan } = state;
  const { network, env, ...fence } = plan.fence;
  const logins = Object.values(agentKinds).flatMap(({ credentials }) => credentials);
  return {
    ...common(places),
    id: `${state.run}.${task.id}.shell.${at.nonce}`,
    nonce: at.nonce,
    from: at.commit,
    base: at.base,
    brief: '',
    ...setupOf(plan),
    isPersons: true,
    fence: {
      ...fence,
      network: network ?? usualNetwork(at.agent),
      env: env.filter((name) => !logins.includes(name)),
    },
    environment: surroundingsOf(state, task.id),
    readOnly: protectedPaths(state, task, at.agent),
  };
}

/** Builds the job of a check. `number` grows when an earlier job was lost. */
export function checkJob(
  places: JobPlaces,
  state: RunState,
  at: { readonly commit: CommitId; readonly tree: TreeId; readonly check: Check; readonly number: number },
): Job {
  const { plan } = state;
  const { check, commit, tree } = at;
  const position = plan.checks.findIndex((planned) => planned.name === check.name);
  const id = `${state.run}.check.${tree.slice(0, 16)}.${position}.${at.number}`;
  return {
    ...common(places),
    id,
    nonce: `${tree}.${id}`,
    kind: 'check',
    from: commit,
    base: commit,
    argv: ['/bin/sh', '-c', check.run],
    executor: 'command',
    agent: null,
    brief: '',
    ...setupOf(plan),
    isPersons: commit === state.began,
    teardown: plan.teardown,
    fence: { ...plan.fence, network: 'off' },
    environment: { CI: 'true', TIDEGATE_RUN: state.run, TIDEGATE_CHECK: check.name },
    minutes: check.minutes,
    silence: check.minutes,
    ...(check.parse === undefined ? {} : { parse: check.parse }),
    readOnly: [],
  };
}

/**
 * Builds the job of the `generated` commands. `number` grows when an earlier job was lost. The commands may download, as setup
 * may, and get no variables: their output is merged.
 */
export function generateJob(
  places: JobPlaces,
  state: RunState,
  at: { readonly wave: number; readonly round: number; readonly commit: CommitId; readonly number: number },
): Job {
  const { plan, run } = state;
  const id = `${run}.generate.${at.wave}.${at.round}.${at.number}`;
  return {
    ...common(places),
    id,
    nonce: `${at.commit}.${id}`,
    kind: 'generate',
    from: at.commit,
    base: at.commit,
    argv: ['/bin/sh', '-c', oneAfterTheOther, 'sh', ...generators(plan)],
    executor: 'command',
    agent: null,
    brief: '',
    setup: null,
    isPersons: false,
    teardown: null,
    fence: { ...plan.fence, network: plan.fence.network ?? 'on', env: [] },
    environment: { CI: 'true', TIDEGATE_RUN: run },
    minutes: generatorMinutes,
    silence: generatorMinutes,
    readOnly: [],
  };
}

/** Each in a shell of its own; the first that fails is named last and ends them all. */
const oneAfterTheOther =
  'for command; do /bin/sh -c "$command" || { code=$?; printf "%s: exit %s\\n" "$command" "$code"; exit "$code"; }; done';

const common = (places: JobPlaces) => ({
  repository: places.state.repository,
  cache: places.state.cache,
  checkout: places.checkout,
  runDirectory: places.runDirectory,
});

/** Ten ports for each task, the same at every attempt. */
function surroundingsOf(state: RunState, task: string): Readonly<Record<string, string>> {
  const index = state.plan.waves.flatMap((wave) => wave.tasks).findIndex((planned) => planned.id === task);
  const port = 20_000 + (checksum(state.run) % 40) * 1_000 + (index % 100) * 10;
  return {
    PORT: String(port),
    COMPOSE_PROJECT_NAME: `${state.run}-${task}`.slice(0, 60),
    TIDEGATE_RUN: state.run,
    TIDEGATE_TASK: task,
    TIDEGATE_PORT_RANGE: `${port}-${port + 9}`,
  };
}

function checksum(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}
