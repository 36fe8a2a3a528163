import './list.ts';
import type { Executor } from '../ports/executor.ts';
import { type AgentFacts, type AgentKind, registeredAgents } from './facts.ts';

/** Every agent, in the order of the lines in `list.ts`. */
export const agents: readonly AgentFacts[] = [...registeredAgents];

/** The agents of a task that names none, in the order in which they are tried. */
export const defaultAgents: readonly string[] = agents.filter(({ isDefault }) => isDefault).map(({ name }) => name);

/** The agents with a program and a login of their own. */
export const loginAgents = agents.filter(({ name, kind }) => name === kind.program);

const plannable = agents.filter(({ isHidden }) => isHidden !== true);

/** Every agent that a plan may name. Variants come last, so that the agent itself is preferred to them. */
export const agentKinds: Readonly<Record<string, AgentKind>> = Object.fromEntries([
  ...plannable.map(({ name, kind }) => [name, kind] as const),
  ...plannable.flatMap(({ variants }) => Object.entries(variants ?? {})),
]);

/** True when the plan has to name the program. */
export const takesCommand = (agent: string): boolean => agentKinds[agent]?.program === '';

/** True when the agent reports its turns, so that they can be limited. A command does not. */
export const countsTurns = (agent: string): boolean => agentKinds[agent]?.executor !== 'command';

/** The network of an agent when the plan names none: agents that use a model need one, a command does not. */
export const usualNetwork = (agent: string): 'on' | 'off' => (agent === 'command' ? 'off' : 'on');

/** Loads the executor of a job. `program` selects among agents of one executor; one that is not known gets no special treatment. */
export async function loadExecutor(executor: string, program: string): Promise<Executor> {
  const kinds = agents
    .flatMap(({ kind, variants = {} }) => [kind, ...Object.values(variants)])
    .filter((kind) => kind.executor === executor);
  const kind = kinds.find((one) => one.program === program) ?? kinds.find((one) => one.program === '') ?? kinds.at(0);
  if (kind === undefined) throw new Error(`there is no executor ${executor}`);
  return await kind.load();
}
