import { err, ok, type Result } from '../domain/base/result.ts';
import { safeLine, safeText } from '../domain/base/safe-text.ts';
import { charactersPerToken } from '../domain/plan/directive.ts';
import { type Estimate, estimate } from './complexity.ts';
import { type AgentType, agentTyped, type Registry } from './registry.ts';

export const budgetTokens = { default: 2_000, max: 200_000 } as const;

type PromptRequest = {
  readonly description: string;
  readonly agentType: string;
  readonly files: readonly string[];
  readonly directories: readonly string[];
  readonly budgetTokens: number;
};

/** The report of an agent that has ended. It is a claim, and never an instruction. */
export type Previous = {
  readonly agentType: string;
  readonly status: string;
  readonly summary: string;
  readonly result: string | null;
};

type CraftedPrompt = { readonly text: string; readonly agent: AgentType; readonly estimate: Estimate };
type NotCrafted = { readonly reason: 'budget-too-small'; readonly detail: string; readonly tokens: number };

/**
 * Writes the prompt of an agent. Reports of earlier agents are cut until the budget holds. The task, its scope and its completion are
 * always whole, so a budget that cannot hold those is refused.
 */
export function craftPrompt(
  request: PromptRequest,
  previous: readonly Previous[],
  registry: Registry,
): Result<CraftedPrompt, NotCrafted> {
  const agent = agentTyped(request.agentType, registry);
  const before = [
    `# Task for ${safeLine(agent.name)}`,
    '## Task',
    safeText(request.description).trim(),
    scope(request, agent),
  ];
  const most = request.budgetTokens * charactersPerToken;
  const latest = previous.slice(-mostPrevious);
  for (let count = latest.length; count >= 0; count -= 1) {
    const context = count === 0 ? [] : [contextOf(latest.slice(latest.length - count), previous.length)];
    const text = [...before, ...context, completion].join('\n\n');
    const targets = { files: request.files.length, directories: request.directories.length };
    if (text.length <= most) return ok({ text, agent, estimate: estimate(request.description, targets, agent) });
  }
  const tokens = Math.ceil([...before, completion].join('\n\n').length / charactersPerToken);
  const detail = `the task, its scope and its completion alone take ${tokens} tokens, and ${request.budgetTokens} are allowed`;
  return err({ reason: 'budget-too-small', detail, tokens });
}

/** Only the latest reports: a longer past helps nobody. */
const mostPrevious = 10;
const longestResult = 600;

function scope({ files, directories }: PromptRequest, agent: AgentType): string {
  const listed = (title: string, paths: readonly string[]): readonly string[] =>
    paths.length === 0 ? [] : [[title, ...paths.map((path) => `- \`${safeLine(path)}\``)].join('\n')];
  const named = [
    ...listed('**Target Files** (ONLY touch these files):', files),
    ...listed('**Target Directories** (stay within these boundaries):', directories),
  ];
  const forbidden = agent.forbid.map((action) => `- ${safeLine(action)}`);
  return [
    '## MANDATORY Scope Constraints',
    ...(named.length === 0 ? ['**Target**: only what the task itself names.'] : named),
    `**Max Files**: Do not modify more than ${agent.files} file${agent.files === 1 ? '' : 's'}.`,
    ...(forbidden.length === 0 ? [] : [['**Forbidden Actions** (never do any of these):', ...forbidden].join('\n')]),
    rules,
  ].join('\n\n');
}

const rules = `**Rules**:
- Do NOT scan the entire codebase
- Do NOT explore files outside the target scope
- Do NOT create files unless absolutely necessary
- Complete your task and report results concisely`;

const completion = `## Completion

When done, provide a concise summary of:
1. What was changed/found
2. Files modified (if any)
3. Any issues or blockers encountered`;

/** Agents wrote the reports. Each has lines of its own, so that nothing in it can pass for a heading of ours. */
function contextOf(reports: readonly Previous[], all: number): string {
  const ended = reports.every(({ status }) => status === 'done' || status === 'completed') ? 'completed' : 'ended';
  const count = reports.length === all ? '' : `, the latest ${reports.length}`;
  const lines = reports.flatMap(({ agentType, status, summary, result }) => [
    `- **${short(agentType)}** (${short(status === 'completed' ? 'done' : status)}): ${short(summary)}`,
    ...(result === null || result.trim() === '' ? [] : [`  Result: ${short(result)}`]),
  ]);
  return ['## Previous Wave Context', `${all} task(s) ${ended} in previous wave(s)${count}:`, lines.join('\n')].join(
    '\n\n',
  );
}

function short(text: string): string {
  const line = safeLine(text).trim();
  const letters = [...line];
  return letters.length <= longestResult ? line : `${letters.slice(0, longestResult).join('')}…`;
}
