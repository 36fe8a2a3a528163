import { client, methods, PROTOCOL_VERSION, type Stream } from '@agentclientprotocol/sdk';
import { noUsage } from '../../domain/tool-calls/agent-event.ts';
import type { OutputReader, Seat, Talk } from '../../ports/executor.ts';
import { type Fields, fieldsOf, parseFields, partsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { presetOf } from './presets.ts';
import { acpProgress, type Progress } from './progress.ts';
import { endedBecause, troubleIn, UnknownSession } from './failure.ts';

type Agent = {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
};

/** What is wanted of the agent beside the prompt, while it works. */
type Wishes = {
  /** Messages for when its turn is over: the protocol has no place for one before. */
  readonly messages: string[];
  /** Ends the turn that is under way; null when there is none. */
  cancel: (() => void) | null;
  isCancelled: boolean;
  isOver: boolean;
};

/** Follows one process: opens a session, says the prompt, answers what the agent asks, and hangs up when its turn is over. */
export function followAcp(talk: Talk, seat: Seat): OutputReader {
  const progress = acpProgress(talk, seat.session?.usage ?? noUsage);
  const { stream, take } = lineStream(talk);
  const wishes: Wishes = { messages: [], cancel: null, isCancelled: false, isOver: false };
  const conversation = client({ name: 'tidegate' })
    .onRequest(methods.client.session.requestPermission, asFields, ({ params }) => answer(progress, params))
    .onNotification('*', ({ method, params }) => {
      // an underscore marks what is not of the protocol but of this agent
      if (!method.startsWith('_')) talk.tell({ type: 'unknown', line: JSON.stringify({ method, params }) });
    })
    .connectWith(stream, (agent) => converse(agent, seat, progress, wishes));
  conversation
    .catch((error: unknown) => {
      // whatever comes of an end that we asked for is no trouble of the agent's
      if (!wishes.isCancelled) progress.failed(troubleIn(error));
    })
    .finally(() => {
      wishes.isOver = true;
      wishes.cancel = null;
      talk.hangUp();
    })
    // what can still throw here is ours: it ends the supervisor, as every bug does
    .catch((error: unknown) => queueMicrotask(() => Promise.reject(error)));
  return {
    line(text) {
      const line = parseFields(text);
      if (line === null || line['jsonrpc'] !== '2.0') talk.tell({ type: 'unknown', line: text });
      // The library drops what its own version of the protocol does not know; we count it.
      else if (line['method'] === methods.client.session.update) progress.update(asFields(line['params']));
      else take(line);
    },
    errorLine: (text) => talk.tell({ type: 'output', text }),
    send(text) {
      if (wishes.isOver || wishes.isCancelled) return false;
      wishes.messages.push(text);
      return true;
    },
    cancel() {
      wishes.isCancelled = true;
      wishes.cancel?.();
      return wishes.cancel !== null;
    },
  };
}

async function converse(agent: Agent, seat: Seat, progress: Progress, wishes: Wishes): Promise<void> {
  const begun = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'tidegate', version: '1' },
    // It has the fence's files and programs, and no others.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const sessionId = await openSession(agent, seat, fieldsOf(begun) ?? {}, progress);
  if (presetOf(seat).forgets !== true)
    wishes.cancel = () => void agent.notify(methods.agent.session.cancel, { sessionId });
  for (let prompt: string | null = seat.prompt, said = 0; prompt !== null; said += 1) {
    const result = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: prompt }],
    });
    const isWell = progress.turnOver(fieldsOf(result) ?? {});
    const stopped = textOf(fieldsOf(result)?.['stopReason']) ?? '';
    if (wishes.isCancelled) return;
    const untold = said < refusalsTold ? progress.untold() : null;
    const messages = isWell && (untold !== null || stopped === 'end_turn') ? wishes.messages.splice(0) : [];
    const next = [...(untold === null ? [] : [untold]), ...messages];
    prompt = next.length === 0 ? null : next.join('\n\n');
    wishes.isOver = prompt === null;
    if (prompt === null) progress.ended(endedBecause(stopped));
  }
}

/** How often an agent is told why something was refused and asked to go on. */
const refusalsTold = 10;

async function openSession(agent: Agent, seat: Seat, begun: Fields, progress: Progress): Promise<string> {
  const able = fieldsOf(begun['agentCapabilities']) ?? {};
  const { meta, lastSession } = presetOf(seat);
  const where = { cwd: seat.workspace, ...(meta === undefined ? {} : { _meta: meta }) };
  const ask = (method: string, params: object): Promise<unknown> =>
    agent.request(method, { ...params, ...where, mcpServers: [mcpServer(seat)] }).catch((error: unknown) => {
      if (troubleIn(error).kind !== 'other') throw error;
      // One that is in no trouble may not like the server: then it has the commands.
      return agent.request(method, { ...params, ...where, mcpServers: [] });
    });
  const known = seat.session?.id ?? null;
  const again = fieldsOf(fieldsOf(able['sessionCapabilities'])?.['resume'])
    ? methods.agent.session.resume
    : able['loadSession'] === true
      ? methods.agent.session.load
      : null;
  if (known !== null && again !== null) {
    // what it tells of the past was counted then
    progress.mute(true);
    const name = lastSession ?? known;
    await ask(again, { sessionId: name }).catch((cause: unknown) => {
      throw new UnknownSession(`the session ${known} could not be continued`, { cause });
    });
    progress.mute(false);
    progress.started(known, seat.job.agent?.model ?? null);
    return name;
  }
  const session = textOf(fieldsOf(await ask(methods.agent.session.new, {}))?.['sessionId']) ?? '';
  progress.started(session, seat.job.agent?.model ?? null);
  return session;
}

const mcpServer = ({ client }: Seat): object => ({ name: 'tidegate', command: client, args: ['mcp'], env: [] });

/** One of the agent's own options, chosen by what it means. */
function answer(progress: Progress, params: Fields) {
  const { decision } = progress.asked(fieldsOf(params['toolCall']) ?? {});
  const wanted = decision === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const options = partsOf(params['options']);
  const chosen = wanted.map((kind) => options.find((option) => option['kind'] === kind)).find((option) => option);
  const optionId = textOf(chosen?.['optionId']);
  return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } } as const;
}

/** The protocol's library wants streams of messages; we have lines. */
function lineStream(talk: Talk): { readonly stream: Stream; take(message: Fields): void } {
  let controller: ReadableStreamDefaultController | null = null;
  const readable: Stream['readable'] = new ReadableStream({
    start(opened) {
      controller = opened;
    },
    // the conversation is over; what still comes is of no interest
    cancel() {
      controller = null;
    },
  });
  const writable: Stream['writable'] = new WritableStream({
    write: (message) => talk.say(`${JSON.stringify(message)}\n`),
  });
  return { stream: { readable, writable }, take: (message) => controller?.enqueue(message) };
}

const asFields = (params: unknown): Fields => fieldsOf(params) ?? {};
