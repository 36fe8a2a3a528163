import { safeLine } from '../domain/base/safe-text.ts';
import { describeTrouble, explain } from '../domain/explain/explain.ts';
import type { AgentEvent, AgentFailure, ToolCall, Usage } from '../domain/tool-calls/agent-event.ts';
import type { Text } from '../ports/terminal.ts';

const shortest = 160;

/** One event of a transcript for people. Text of the agent is indented, so that it cannot imitate our lines. */
export function agentLines(event: AgentEvent): readonly Text[] {
  switch (event.type) {
    case 'started':
      return [[{ text: `── ${shown(event.model ?? 'the agent')} started`, tone: 'dim' }]];
    case 'turn':
      return event.text.trim() === '' ? [] : spoken(event.text);
    case 'tool-call':
      return [[{ text: '→ ', tone: 'strong' }, callText(event.call)]];
    case 'tool-result':
      return resultLines(event);
    case 'denied':
      return [
        [
          { text: '✗ denied ', tone: 'bad' },
          `${callText(event.call)}: ${shown(explain(event.because).detail)} (${event.because.rule})`,
        ],
      ];
    case 'usage':
      return [[{ text: `  ${usageText(event.usage)}`, tone: 'dim' }]];
    case 'provider-trouble':
      return [[{ text: '! ', tone: 'waiting' }, troubleText(event.trouble)]];
    case 'told':
      return [[{ text: '← ', tone: 'waiting' }, `a person says: ${safeLine(event.text)}`]];
    case 'output':
      return [[{ text: `  ${shown(event.text)}`, tone: 'dim' }]];
    case 'ended':
      return [endedLine(event)];
    case 'file-seen':
    case 'unknown':
      return [];
  }
}

/** The current activity of an agent; null when the event does not show it. */
export function activityLine(event: AgentEvent): string | null {
  switch (event.type) {
    case 'turn':
      return shown(event.text.trim().split('\n').at(-1) ?? '') || null;
    case 'tool-call':
      return callText(event.call);
    case 'denied':
      return `denied: ${callText(event.call)}`;
    case 'provider-trouble':
      return troubleText(event.trouble);
    case 'output':
      return shown(event.text) || null;
    case 'started':
    case 'tool-result':
    case 'usage':
    case 'told':
    case 'ended':
    case 'file-seen':
    case 'unknown':
      return null;
  }
}

const spoken = (text: string): readonly Text[] =>
  text
    .trim()
    .split('\n')
    .map((line) => `  ${safeLine(line)}`);

/** The tool, its subject, and the line range. */
function callText({ tool, kind, paths, command, lines, input }: ToolCall): string {
  const range = lines === null ? '' : `:${lines.from}-${lines.to ?? ''}`;
  const about = command ?? (paths.length > 0 ? `${paths.join(' ')}${range}` : kind === 'write' ? '' : input);
  return `${shown(tool)} ${shown(about)}`.trimEnd();
}

function resultLines({ outcome, text }: AgentEvent & { readonly type: 'tool-result' }): readonly Text[] {
  const lines = text.trim().split('\n');
  const [first = ''] = lines;
  const more = lines.length > 1 ? ` (+${lines.length - 1} lines)` : '';
  if (outcome === 'failed') return [[{ text: '  ✗ ', tone: 'bad' }, `${shown(first)}${more}`]];
  return first === '' ? [] : [[{ text: `  ${shown(first)}${more}`, tone: 'dim' }]];
}

function endedLine({ outcome, trouble }: AgentEvent & { readonly type: 'ended' }): Text {
  if (outcome === 'completed') return [{ text: '── the agent has finished', tone: 'dim' }];
  return [{ text: '── the agent failed', tone: 'bad' }, trouble === null ? '' : `: ${troubleText(trouble)}`];
}

export const troubleText = (trouble: AgentFailure): string =>
  [trouble.kind, trouble.until === null ? '' : `until ${trouble.until}`, shown(describeTrouble(trouble))]
    .filter(Boolean)
    .join(', ');

/** The cost is shown only when the agent reports it. */
const usageText = ({ turns, inputTokens, outputTokens, cachedTokens, usd }: Usage): string =>
  [
    `${turns} turn${turns === 1 ? '' : 's'}`,
    `${tokenCount(inputTokens)} in, ${tokenCount(outputTokens)} out, ${tokenCount(cachedTokens)} cached`,
    ...(usd === null ? [] : [money(usd)]),
  ].join(' · ');

/** `950`, `12.3k`, `4.56M`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(2)}M`;
}

export const money = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;

function shown(text: string): string {
  const line = safeLine(text.trim());
  return line.length <= shortest ? line : `${line.slice(0, shortest)}…`;
}
