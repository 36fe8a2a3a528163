import { explain } from '../../domain/explain/explain.ts';
import {
  type AgentEvent,
  noUsage,
  type ToolCall,
  type Trouble,
  type Usage,
} from '../../domain/tool-calls/agent-event.ts';
import type { Decision } from '../../domain/tool-calls/decision.ts';
import type { Talk } from '../../ports/executor.ts';
import { countOf, type Fields, fieldsOf, numberOf, partsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { isRefusal } from '../opencode/stream.ts';
import { acpCall } from './tool-call.ts';
import { kindIn } from './failure.ts';

/** What an agent does in its turn, in our words. */
export type Progress = {
  started(session: string, model: string | null): void;
  update(params: Fields): void;
  /** It wants to know whether it may. */
  asked(toolCall: Fields): Decision;
  /** False when the model could not be asked any more. */
  turnOver(result: Fields): boolean;
  /** What the agent does not know: why its last call was refused, if its turn ended with that; null: nothing. */
  untold(): string | null;
  ended(event: Extract<AgentEvent, { type: 'ended' }>): void;
  failed(trouble: Trouble): void;
  mute(muted: boolean): void;
};

/** `before`: what a continued session had used, because its price is that of the whole session. */
export function acpProgress(talk: Talk, before: Usage): Progress {
  let muted = false;
  let usage: Usage = noUsage;
  let spoken = '';
  /** The model has been heard since it was last given something. */
  let isAnswering = false;
  let refusals: string[] = [];
  /** codex-acp ends such a turn as if all were well, and gives the reason as speech. */
  let isBroken = false;
  let broken: Trouble | null = null;
  let over = false;
  const calls = new Map<string, Fields>();
  const told = new Set<string>();
  const asked = new Set<string>();

  const answers = (): void => {
    if (!isAnswering) usage = { ...usage, turns: usage.turns + 1 };
    isAnswering = true;
  };
  const flush = (): void => {
    if (spoken.trim() !== '') talk.tell({ type: 'turn', text: spoken });
    spoken = '';
  };
  const heard = (said: Fields): ToolCall => {
    const id = textOf(said['toolCallId']) ?? '';
    const known = { ...calls.get(id), ...withoutNulls(said) };
    calls.set(id, known);
    return acpCall(known);
  };
  const tellCall = (call: ToolCall): void => {
    if (told.has(call.id)) return;
    told.add(call.id);
    flush();
    answers();
    talk.tell({ type: 'tool-call', call });
  };
  const toolCall = (said: Fields): void => {
    const call = heard(said);
    const { status, rawInput } = calls.get(call.id) ?? {};
    const isOver = status === 'completed' || status === 'failed';
    // Some tell of a call before the model has said what it is about.
    const isSaid = Object.keys(fieldsOf(rawInput) ?? {}).some((key) => key !== 'cwd');
    if (isOver || status === 'in_progress' || isSaid) tellCall(call);
    if (!isOver || !calls.has(call.id)) return;
    const text = shownContent(calls.get(call.id) ?? {});
    calls.delete(call.id);
    isAnswering = false;
    if (status === 'failed' && isRefusal(text) && !asked.has(call.id))
      talk.tell({ type: 'denied', call, because: { rule: 'agent-denied', words: text.slice(0, 500) } });
    talk.tell({ type: 'tool-result', id: call.id, outcome: status === 'completed' ? 'ok' : 'failed', text });
  };
  const used = (more: Partial<Usage>): void => {
    usage = { ...usage, ...more };
    talk.tell({ type: 'usage', usage });
  };
  const costs = (cost: Fields | null): void => {
    const amount = numberOf(cost?.['amount']);
    if (amount !== null && cost?.['currency'] === 'USD') used({ usd: Math.max(0, amount - (before.usd ?? 0)) });
  };
  return {
    mute(is) {
      muted = is;
    },
    started: (session, model) => talk.tell({ type: 'started', session, model }),
    update(params) {
      const said = fieldsOf(params['update']) ?? {};
      if (muted) return;
      switch (said['sessionUpdate']) {
        case 'agent_message_chunk':
          answers();
          refusals = [];
          spoken += textOf(fieldsOf(said['content'])?.['text']) ?? '';
          return;
        case 'tool_call':
        case 'tool_call_update':
          return toolCall(said);
        case 'session_info_update': {
          const status = fieldsOf(fieldsOf(fieldsOf(said['_meta'])?.['codex'])?.['threadStatus'])?.['type'];
          if (status !== 'systemError') return;
          flush();
          isBroken = true;
          return;
        }
        case 'usage_update':
          return costs(fieldsOf(said['cost']));
        default:
          if (!quiet.has(textOf(said['sessionUpdate']) ?? ''))
            talk.tell({ type: 'unknown', line: JSON.stringify(params) });
      }
    },
    asked(said) {
      const call = heard(said);
      tellCall(call);
      asked.add(call.id);
      refusals = [];
      const decision = talk.decide(call);
      if (decision.decision === 'deny') {
        const { detail, fix } = explain(decision.because);
        refusals = [detail, ...(fix === undefined ? [] : [`Ask for it: ${fix}`])];
      }
      return decision;
    },
    turnOver(result) {
      const words = spoken.trim();
      flush();
      broken = isBroken ? { kind: kindIn(words), until: null, words: words.slice(0, 500) } : null;
      isAnswering = false;
      used(tokensIn(result, usage));
      return broken === null;
    },
    untold() {
      const [why] = refusals;
      const prompt = why === undefined ? null : `${refusals.join('\n')}\nThat call was refused. Go on without it.`;
      refusals = [];
      return prompt;
    },
    ended(event) {
      over = true;
      talk.tell(broken === null ? event : { type: 'ended', outcome: 'failed', trouble: broken });
    },
    failed(trouble) {
      flush();
      if (!over) talk.tell({ type: 'ended', outcome: 'failed', trouble });
      over = true;
    },
  };
}

const quiet = new Set([
  ...['user_message_chunk', 'agent_thought_chunk', 'plan', 'available_commands_update', 'current_mode_update'],
  ...['config_option_update', 'notice', 'compaction_update', 'compaction_summary_chunk'],
]);

const withoutNulls = (said: Fields): Fields =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null && value !== undefined));

/** Of the turn: the protocol's draft has them in `usage`, Gemini in `_meta`; others do not tell. */
function tokensIn(result: Fields, usage: Usage): Partial<Usage> {
  const spent = fieldsOf(result['usage']);
  const quota = fieldsOf(fieldsOf(fieldsOf(result['_meta'])?.['quota'])?.['token_count']);
  const input =
    countOf(spent?.['inputTokens']) + countOf(spent?.['cachedWriteTokens']) + countOf(quota?.['input_tokens']);
  const output =
    countOf(spent?.['outputTokens']) + countOf(spent?.['thoughtTokens']) + countOf(quota?.['output_tokens']);
  return {
    inputTokens: usage.inputTokens + input,
    outputTokens: usage.outputTokens + output,
    cachedTokens: usage.cachedTokens + countOf(spent?.['cachedReadTokens']),
  };
}

function shownContent(said: Fields): string {
  const texts = partsOf(said['content']).map((part) => textOf(fieldsOf(part['content'])?.['text']) ?? '');
  const shown = texts.filter((text) => text !== '').join('\n');
  const raw = said['rawOutput'];
  return shown !== '' ? shown : (textOf(raw) ?? textOf(fieldsOf(raw)?.['output']) ?? '');
}
