import { countOf, type Fields, fieldsOf, numberOf, partsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { explain } from '../../domain/explain/explain.ts';
import {
  type AgentEvent,
  type AgentFailure,
  noUsage,
  type ToolCall,
  type Usage,
} from '../../domain/tool-calls/agent-event.ts';
import type { Decision } from '../../domain/tool-calls/tool-scope.ts';
import { failureKindIn } from './failure.ts';
import { acpCall } from './tool-call.ts';

/** One step of a conversation over the protocol. Steps come in the order in which we learn of them. */
export type AcpMessage =
  /** The agent repeats the past of a session that it loads. */
  | { readonly type: 'session-loading' }
  | { readonly type: 'session-opened'; readonly session: string; readonly model: string | null }
  | { readonly type: 'update'; readonly params: Fields }
  | { readonly type: 'permission-requested'; readonly toolCall: Fields }
  | { readonly type: 'permission-decided'; readonly decision: Decision }
  | { readonly type: 'turn-ended'; readonly result: Fields }
  /** The agent has been sent `refusalPrompt`. */
  | { readonly type: 'refusal-sent' }
  | { readonly type: 'ended'; readonly ending: Extract<AgentEvent, { type: 'ended' }> }
  | { readonly type: 'failed'; readonly failure: AgentFailure };

export type AcpProgress = {
  /** Usage of a continued session before this process: the price that agents report is that of the whole session. */
  readonly before: Usage;
  readonly isRefusal: (text: string) => boolean;
  readonly isLoading: boolean;
  readonly usage: Usage;
  /** Speech of the model that has not become an event yet. */
  readonly speech: string;
  /** The model has answered since it last got something. */
  readonly isAnswering: boolean;
  /** Why the last call was refused; empty once the model has spoken since. */
  readonly refusal: readonly string[];
  /** codex-acp ends a turn that broke as if all were well, and gives the reason as speech. */
  readonly hasSystemError: boolean;
  /** Set when the last turn broke: the model did not answer any more. */
  readonly failure: AgentFailure | null;
  readonly isOver: boolean;
  /** All fields so far of calls that have not ended. */
  readonly calls: ReadonlyMap<string, Fields>;
  /** Calls that have become an event, and calls that we decided on. */
  readonly announced: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
};

export const acpStart = (before: Usage, isRefusal: (text: string) => boolean = () => false): AcpProgress => ({
  before,
  isRefusal,
  isLoading: false,
  usage: noUsage,
  speech: '',
  isAnswering: false,
  refusal: [],
  hasSystemError: false,
  failure: null,
  isOver: false,
  calls: new Map(),
  announced: new Set(),
  decided: new Set(),
});

export type AcpStep = { readonly state: AcpProgress; readonly events: readonly AgentEvent[] };

/** Total: whatever an agent sends, and in whatever order, has a next state. */
export function evolveAcp(state: AcpProgress, message: AcpMessage): AcpStep {
  switch (message.type) {
    case 'session-loading':
      return step({ ...state, isLoading: true });
    case 'session-opened':
      return step({ ...state, isLoading: false }, { type: 'started', session: message.session, model: message.model });
    case 'update':
      return state.isLoading ? step(state) : update(state, message.params);
    case 'permission-requested': {
      const { id, known } = remember(state, message.toolCall);
      return announce({ ...known, decided: new Set(known.decided).add(id), refusal: [] }, acpCall(fieldsIn(known, id)));
    }
    case 'permission-decided':
      return step({ ...state, refusal: refusalIn(message.decision) });
    case 'turn-ended':
      return endTurn(state, message.result);
    case 'refusal-sent':
      return step({ ...state, refusal: [] });
    case 'ended':
      return step(
        { ...state, isOver: true },
        state.failure === null ? message.ending : { type: 'ended', outcome: 'failed', trouble: state.failure },
      );
    case 'failed':
      return then(flush(state), (flushed) =>
        step(
          { ...flushed, isOver: true },
          ...(state.isOver ? [] : [{ type: 'ended', outcome: 'failed', trouble: message.failure } as const]),
        ),
      );
  }
}

/** Returns the call that the agent asks permission for, from all that it has reported about it. */
export const requestedCall = (state: AcpProgress, toolCall: Fields): ToolCall =>
  acpCall(fieldsIn(state, textOf(toolCall['toolCallId']) ?? ''));

/** Tells an agent why its last call was refused, if its turn ended with that: the protocol's own refusal has no reason. */
export const refusalPrompt = ({ refusal }: AcpProgress): string | null =>
  refusal.length === 0 ? null : `${refusal.join('\n')}\nThat call was refused. Go on without it.`;

function update(state: AcpProgress, params: Fields): AcpStep {
  const fields = fieldsOf(params['update']) ?? {};
  const kind = textOf(fields['sessionUpdate']) ?? '';
  switch (kind) {
    case 'agent_message_chunk': {
      const text = textOf(fieldsOf(fields['content'])?.['text']) ?? '';
      return step({ ...answering(state), refusal: [], speech: state.speech + text });
    }
    case 'tool_call':
    case 'tool_call_update':
      return updateCall(state, fields);
    case 'session_info_update': {
      const status = fieldsOf(fieldsOf(fieldsOf(fields['_meta'])?.['codex'])?.['threadStatus'])?.['type'];
      return status === 'systemError'
        ? then(flush(state), (flushed) => step({ ...flushed, hasSystemError: true }))
        : step(state);
    }
    case 'usage_update': {
      const cost = fieldsOf(fields['cost']);
      const amount = numberOf(cost?.['amount']);
      if (amount === null || cost?.['currency'] !== 'USD') return step(state);
      return use(state, { usd: Math.max(0, amount - (state.before.usd ?? 0)) });
    }
    default:
      return step(state, ...(silent.has(kind) ? [] : [{ type: 'unknown', line: JSON.stringify(params) } as const]));
  }
}

/** Updates that mean nothing to us. */
const silent = new Set([
  ...['user_message_chunk', 'agent_thought_chunk', 'plan', 'available_commands_update', 'current_mode_update'],
  ...['config_option_update', 'notice', 'compaction_update', 'compaction_summary_chunk'],
]);

function updateCall(state: AcpProgress, fields: Fields): AcpStep {
  const { id, known } = remember(state, fields);
  const all = fieldsIn(known, id);
  const call = acpCall(all);
  const { status, rawInput } = all;
  const hasEnded = status === 'completed' || status === 'failed';
  // Some agents report a call before the model has written its input.
  const hasInput = Object.keys(fieldsOf(rawInput) ?? {}).some((key) => key !== 'cwd');
  const announced = hasEnded || status === 'in_progress' || hasInput ? announce(known, call) : step(known);
  if (!hasEnded) return announced;
  const text = contentOf(all);
  const isRefused = status === 'failed' && state.isRefusal(text) && !state.decided.has(id);
  return then(announced, (now) =>
    step(
      { ...now, calls: new Map([...now.calls].filter(([other]) => other !== id)), isAnswering: false },
      ...(isRefused
        ? [{ type: 'denied', call, because: { rule: 'agent-denied', words: text.slice(0, 500) } } as const]
        : []),
      { type: 'tool-result', id, outcome: status === 'completed' ? 'ok' : 'failed', text },
    ),
  );
}

function endTurn(state: AcpProgress, result: Fields): AcpStep {
  const words = state.speech.trim();
  const failure: AgentFailure | null = state.hasSystemError
    ? { kind: failureKindIn(words), until: null, words: words.slice(0, 500) }
    : null;
  return then(flush(state), (flushed) =>
    use({ ...flushed, failure, isAnswering: false }, tokensIn(result, flushed.usage)),
  );
}

function announce(state: AcpProgress, call: ToolCall): AcpStep {
  if (state.announced.has(call.id)) return step(state);
  return then(flush(state), (flushed) =>
    step({ ...answering(flushed), announced: new Set(flushed.announced).add(call.id) }, { type: 'tool-call', call }),
  );
}

function flush(state: AcpProgress): AcpStep {
  const events: readonly AgentEvent[] = state.speech.trim() === '' ? [] : [{ type: 'turn', text: state.speech }];
  return step({ ...state, speech: '' }, ...events);
}

function use(state: AcpProgress, more: Partial<Usage>): AcpStep {
  const usage = { ...state.usage, ...more };
  return step({ ...state, usage }, { type: 'usage', usage });
}

const answering = (state: AcpProgress): AcpProgress =>
  state.isAnswering ? state : { ...state, isAnswering: true, usage: { ...state.usage, turns: state.usage.turns + 1 } };

/** Adds fields of a call to those that the agent sent before. */
function remember(state: AcpProgress, fields: Fields): { readonly id: string; readonly known: AcpProgress } {
  const id = textOf(fields['toolCallId']) ?? '';
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const all = { ...state.calls.get(id), ...Object.fromEntries(present) };
  return { id, known: { ...state, calls: new Map(state.calls).set(id, all) } };
}

const fieldsIn = ({ calls }: AcpProgress, id: string): Fields => calls.get(id) ?? {};

function refusalIn(decision: Decision): readonly string[] {
  if (decision.decision === 'allow') return [];
  const { detail, fix } = explain(decision.because);
  return [detail, ...(fix === undefined ? [] : [`Ask for it: ${fix}`])];
}

const step = (state: AcpProgress, ...events: readonly AgentEvent[]): AcpStep => ({ state, events });

function then(first: AcpStep, next: (state: AcpProgress) => AcpStep): AcpStep {
  const { state, events } = next(first.state);
  return { state, events: [...first.events, ...events] };
}

/** Tokens of the turn: the protocol's draft has them in `usage`, Gemini in `_meta`; other agents do not report them. */
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

function contentOf(fields: Fields): string {
  const texts = partsOf(fields['content']).map((part) => textOf(fieldsOf(part['content'])?.['text']) ?? '');
  const text = texts.filter((one) => one !== '').join('\n');
  const raw = fields['rawOutput'];
  return text !== '' ? text : (textOf(raw) ?? textOf(fieldsOf(raw)?.['output']) ?? '');
}
