import { type Cost, costsOf, type Spend } from '../../domain/run/costs.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { money, tokenCount } from '../../view/agent-lines.ts';
import { done, type Outcome } from '../frame/command.ts';
import { showEach, wholeRunNamed } from '../frame/subject.ts';

/** `tidegate costs [run]`: turns, tokens and money by task, agent and wave. Money only where the agent names it. */
export const showCosts = ({ run }: { readonly run: string | undefined }, repo: RepositoryHandle): Promise<Outcome> =>
  showEach(repo, run, (given) => costsOfOne(given, repo));

async function costsOfOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'costs', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, stored } = found.value;
  const { tasks, agents, waves, total, run: spend } = costsOf(state, stored);
  if (tasks.length === 0) return done([`No agent of ${run} has begun.`], { run, tasks, agents, waves, total, spend });
  const width = Math.max(...[...tasks, ...agents, ...waves].map(({ name }) => name.length), 8);
  const table = (title: string, some: readonly Cost[]): readonly Text[] => [
    [{ text: row([title, 'turns', 'in', 'out', 'cached', 'money'], width), tone: 'strong' }],
    ...some.map((cost) => costLine(cost, width)),
    '',
  ];
  const lines = [
    ...table('task', tasks),
    ...table('agent', agents),
    ...(waves.length > 1 ? table('wave', waves) : []),
    costLine(total, width),
    `${run}: ${limitText(spend)}`,
  ];
  return done(lines, { run, tasks, agents, waves, total, spend });
}

function costLine({ name, usage, spend, live }: Cost, width: number): Text {
  const { turns, inputTokens, outputTokens, cachedTokens, usd } = usage;
  const told = [String(turns), tokenCount(inputTokens), tokenCount(outputTokens), tokenCount(cachedTokens)];
  const of = spend === null || usd === null ? '' : `  ${limitText(spend)}`;
  return `${row([name, ...told, usd === null ? '-' : money(usd)], width)}${of}${live > 0 ? '  at work' : ''}`;
}

const limitText = (spend: Spend): string =>
  `${money(spend.used)} of ${money(spend.limit)} (${Math.round((spend.used / spend.limit) * 100)} %)`;

const row = ([name = '', ...cells]: readonly string[], width: number): string =>
  `${name.padEnd(width)}${cells.map((cell) => cell.padStart(9)).join('')}`;
