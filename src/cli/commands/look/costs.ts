import type { Spend } from '../../../domain/run/costs.ts';
import { type Cost, costsOf } from '../../../domain/run/costs.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { money, tokenCount } from '../../../view/agent-lines.ts';
import { aRun, command, done, type Outcome } from '../../frame/command.ts';
import { resolveWholeRun, showEach } from '../../frame/subject.ts';

export const costsCommand = command({
  name: 'costs',
  group: 'look',
  summary: 'show turns, tokens and cost by task, agent and wave',
  arguments: { run: aRun },
  help: 'Shows a cost in dollars only for agents that report it.',
  looks: ({ run }, repo) => showEach(repo, run, (typed) => costsOfOne(typed, repo)),
});

async function costsOfOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'costs', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state, stored } = subject.value;
  const { tasks, agents, waves, total, run: spend } = costsOf(state, stored);
  if (tasks.length === 0) return done([`No agent of ${run} has started.`], { run, tasks, agents, waves, total, spend });
  const width = Math.max(...[...tasks, ...agents, ...waves].map(({ name }) => name.length), 8);
  const table = (title: string, some: readonly Cost[]): readonly Text[] => [
    [{ text: row([title, 'turns', 'in', 'out', 'cached', 'cost'], width), tone: 'strong' }],
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
  const counts = [String(turns), tokenCount(inputTokens), tokenCount(outputTokens), tokenCount(cachedTokens)];
  const of = spend === null || usd === null ? '' : `  ${limitText(spend)}`;
  return `${row([name, ...counts, usd === null ? '-' : money(usd)], width)}${of}${live > 0 ? '  running' : ''}`;
}

const limitText = (spend: Spend): string =>
  `${money(spend.used)} of ${money(spend.limit)} (${Math.round((spend.used / spend.limit) * 100)} %)`;

const row = ([name = '', ...cells]: readonly string[], width: number): string =>
  `${name.padEnd(width)}${cells.map((cell) => cell.padStart(9)).join('')}`;
