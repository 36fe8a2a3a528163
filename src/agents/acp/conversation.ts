import { client, methods, PROTOCOL_VERSION, type Stream } from '@agentclientprotocol/sdk';
import { type Fields, fieldsOf, parseFields, partsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { noUsage } from '../../domain/tool-calls/agent-event.ts';
import type { ExecutorCallbacks, LaunchContext, OutputReader } from '../../ports/executor.ts';
import type { AcpAdaptation } from './executor.ts';
import { endingFor, failureIn, UnknownSession } from './failure.ts';
import { type AcpMessage, type AcpProgress, acpStart, evolveAcp, refusalPrompt, requestedCall } from './progress.ts';

type Agent = {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
};

/** One conversation: how far it is, and what a person wants of the agent meanwhile. */
type Conversation = {
  readonly context: LaunchContext;
  readonly adaptation: AcpAdaptation;
  progress(): AcpProgress;
  /** Takes the next step and emits its events. */
  take(message: AcpMessage): void;
  /** Messages for when the turn is over: the protocol has no place for one before. */
  readonly messages: string[];
  /** Ends the turn that is under way; null when there is none. */
  cancel: (() => void) | null;
  isCancelled: boolean;
  isOver: boolean;
};

/** Follows one process: opens a session, sends the prompt, answers requests, and closes the agent's stdin when its turn is over. */
export function followAcp(
  callbacks: ExecutorCallbacks,
  context: LaunchContext,
  adaptation: AcpAdaptation = {},
): OutputReader {
  const conversation = openConversation(callbacks, context, adaptation);
  const { stream, take } = lineStream(callbacks);
  client({ name: 'tidegate' })
    .onRequest(methods.client.session.requestPermission, asFields, ({ params }) =>
      answer(conversation, callbacks, params),
    )
    .onNotification('*', ({ method, params }) => {
      // an underscore marks an extension of this agent
      if (!method.startsWith('_')) callbacks.emit({ type: 'unknown', line: JSON.stringify({ method, params }) });
    })
    .connectWith(stream, (agent) => converse(agent, conversation))
    .catch((error: unknown) => {
      // an end that we requested is no failure of the agent
      if (!conversation.isCancelled) conversation.take({ type: 'failed', failure: failureIn(error) });
    })
    .finally(() => {
      conversation.isOver = true;
      conversation.cancel = null;
      callbacks.endInput();
    })
    // anything that still throws here is a bug of ours: it ends the supervisor, as every bug does
    .catch((error: unknown) => queueMicrotask(() => Promise.reject(error)));
  return {
    line(text) {
      const line = parseFields(text);
      if (line === null || line['jsonrpc'] !== '2.0') callbacks.emit({ type: 'unknown', line: text });
      // The library drops updates that its own version of the protocol does not know; we count them.
      else if (line['method'] === methods.client.session.update)
        conversation.take({ type: 'update', params: asFields(line['params']) });
      else take(line);
    },
    errorLine: (text) => callbacks.emit({ type: 'output', text }),
    send(text) {
      if (conversation.isOver || conversation.isCancelled) return false;
      conversation.messages.push(text);
      return true;
    },
    cancel() {
      conversation.isCancelled = true;
      conversation.cancel?.();
      return conversation.cancel !== null;
    },
  };
}

function openConversation(
  callbacks: ExecutorCallbacks,
  context: LaunchContext,
  adaptation: AcpAdaptation,
): Conversation {
  let progress = acpStart(context.session?.usage ?? noUsage, adaptation.isRefusal);
  return {
    context,
    adaptation,
    progress: () => progress,
    take(message) {
      const { state, events } = evolveAcp(progress, message);
      progress = state;
      for (const event of events) callbacks.emit(event);
    },
    messages: [],
    cancel: null,
    isCancelled: false,
    isOver: false,
  };
}

async function converse(agent: Agent, conversation: Conversation): Promise<void> {
  const { context, adaptation, take } = conversation;
  const capabilities = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'tidegate', version: '1' },
    // It has the fence's files and programs, and no others.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const sessionId = await openSession(agent, asFields(asFields(capabilities)['agentCapabilities']), conversation);
  if (adaptation.forgetsCancelledTurns !== true)
    conversation.cancel = () => void agent.notify(methods.agent.session.cancel, { sessionId });
  for (let prompt: string | null = context.prompt, turns = 0; prompt !== null; turns += 1) {
    const result = asFields(
      await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: prompt }] }),
    );
    take({ type: 'turn-ended', result });
    if (conversation.isCancelled) return;
    prompt = nextPrompt(conversation, textOf(result['stopReason']) ?? '', turns < mostRefusals);
    conversation.isOver = prompt === null;
    if (prompt === null) take({ type: 'ended', ending: endingFor(textOf(result['stopReason']) ?? '') });
  }
}

/** The most times that an agent gets the reason for a refused call, with the request to continue. */
const mostRefusals = 10;

/** Null: nothing is left to say. */
function nextPrompt(
  { progress, take, messages }: Conversation,
  stopReason: string,
  mayExplain: boolean,
): string | null {
  const refusal = mayExplain ? refusalPrompt(progress()) : null;
  if (mayExplain) take({ type: 'refusal-sent' });
  const isWell = progress().failure === null;
  const waiting = isWell && (refusal !== null || stopReason === 'end_turn') ? messages.splice(0) : [];
  const next = [...(refusal === null ? [] : [refusal]), ...waiting];
  return next.length === 0 ? null : next.join('\n\n');
}

async function openSession(agent: Agent, capabilities: Fields, conversation: Conversation): Promise<string> {
  const { context, adaptation, take } = conversation;
  const { meta, lastSession } = adaptation;
  const common = { cwd: context.workspace, ...(meta === undefined ? {} : { _meta: meta }) };
  const open = (method: string, params: object): Promise<unknown> =>
    agent.request(method, { ...params, ...common, mcpServers: [mcpServer(context)] }).catch((error: unknown) => {
      if (failureIn(error).kind !== 'other') throw error;
      // An agent without another problem may not accept the server: then it has the commands.
      return agent.request(method, { ...params, ...common, mcpServers: [] });
    });
  const model = context.job.agent?.model ?? null;
  const earlier = context.session?.id ?? null;
  const method = fieldsOf(asFields(capabilities['sessionCapabilities'])['resume'])
    ? methods.agent.session.resume
    : capabilities['loadSession'] === true
      ? methods.agent.session.load
      : null;
  if (earlier !== null && method !== null) {
    // the past that it repeats was counted when it happened
    take({ type: 'session-loading' });
    const name = lastSession ?? earlier;
    await open(method, { sessionId: name }).catch((cause: unknown) => {
      throw new UnknownSession(`the session ${earlier} could not be continued`, { cause });
    });
    take({ type: 'session-opened', session: earlier, model });
    return name;
  }
  const session = textOf(asFields(await open(methods.agent.session.new, {}))['sessionId']) ?? '';
  take({ type: 'session-opened', session, model });
  return session;
}

const mcpServer = ({ client: command }: LaunchContext): object => ({
  name: 'tidegate',
  command,
  args: ['mcp'],
  env: [],
});

/** Answers a request for permission with one of the agent's own options, chosen by its meaning. */
function answer({ progress, take }: Conversation, { decide }: ExecutorCallbacks, params: Fields) {
  const toolCall = asFields(params['toolCall']);
  take({ type: 'permission-requested', toolCall });
  const call = requestedCall(progress(), toolCall);
  const decision = decide(call);
  take({ type: 'permission-decided', decision });
  const kinds = decision.decision === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const options = partsOf(params['options']);
  const option = kinds.map((kind) => options.find((one) => one['kind'] === kind)).find((one) => one);
  const optionId = textOf(option?.['optionId']);
  return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } } as const;
}

/** Adapts our lines to the streams of messages that the protocol's library wants. */
function lineStream(callbacks: ExecutorCallbacks): { readonly stream: Stream; take(message: Fields): void } {
  let controller: ReadableStreamDefaultController | null = null;
  const readable: Stream['readable'] = new ReadableStream({
    start(opened) {
      controller = opened;
    },
    // the conversation is over, and later messages do not matter
    cancel() {
      controller = null;
    },
  });
  const writable: Stream['writable'] = new WritableStream({
    write: (message) => callbacks.write(`${JSON.stringify(message)}\n`),
  });
  return { stream: { readable, writable }, take: (message) => controller?.enqueue(message) };
}

const asFields = (value: unknown): Fields => fieldsOf(value) ?? {};
