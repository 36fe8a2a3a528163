import { shallowJson } from '../../adapters/files/untrusted-json.ts';
import type { ChannelAnswer } from './client-channel.ts';
import { argumentMisfit, type ToolArguments, tools } from './mcp-tools.ts';

/** Asks as the client in the fence does. */
export type AskChannel = (message: object) => ChannelAnswer | Promise<ChannelAnswer>;

/**
 * Answers one line of the Model Context Protocol on stdio: as much of it as a server of tools alone needs, without the libraries that
 * every supervisor would have to load. Null: it was a notification, or an answer that nobody asked for.
 */
export async function mcpAnswer(line: string, ask: AskChannel): Promise<object | null> {
  const said = shallowJson(line);
  if (said === undefined) return failed(null, codes.parse, 'that is no JSON, or too deep');
  const { jsonrpc, id, method, params } = fieldsOf(said);
  if (jsonrpc !== '2.0' || (id !== undefined && !isId(id))) return failed(null, codes.request, 'that is no request');
  if (id === undefined || method === undefined) return null;
  switch (method) {
    case 'initialize':
      return done(id, begun(fieldsOf(params)['protocolVersion']));
    case 'ping':
      return done(id, {});
    case 'tools/list':
      return done(id, {
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      });
    case 'tools/call':
      return await called(id, fieldsOf(params), ask);
    default:
      return failed(id, codes.method, 'there is no such method here');
  }
}

/** The newest first. Of those between, one allows several requests in one line, which nobody sends and we do not read. */
const versions = ['2025-11-25', '2025-06-18', '2024-11-05'];

const begun = (wanted: unknown): object => ({
  protocolVersion: versions.find((version) => version === wanted) ?? versions[0],
  capabilities: { tools: {} },
  serverInfo: { name: 'tidegate', version: '1' },
  instructions:
    'You work on one task of a Tidegate run. Call `handoff` when you are through: without it nothing counts as done. `scope` says what you may change.',
});

/** What is wrong with the arguments is told to the model, which can mend it; only a tool that does not exist is the client's fault. */
async function called(id: Id, { name, arguments: given = {} }: ToolArguments, ask: AskChannel): Promise<object> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return failed(id, codes.params, 'there is no such tool');
  const fields = fieldsOf(given);
  const wrong = argumentMisfit(tool.inputSchema, fields);
  const message = wrong ?? tool.message(fields);
  if (typeof message === 'string') return spoken(id, `not taken: ${message}`, true);
  const answer = await ask(message);
  return answer.ok
    ? spoken(id, tool.told(answer, fields), false)
    : spoken(id, `not taken: ${answer.why ?? 'no reason given'}`, true);
}

type Id = string | number;
const isId = (id: unknown): id is Id => (typeof id === 'string' && id.length <= 200) || Number.isSafeInteger(id);

const codes = { parse: -32700, request: -32600, method: -32601, params: -32602 };
const done = (id: Id, result: object): object => ({ jsonrpc: '2.0', id, result });
const failed = (id: Id | null, code: number, message: string): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
const spoken = (id: Id, text: string, isError: boolean): object =>
  done(id, { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) });

const fieldsOf = (value: unknown): ToolArguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ToolArguments) : {};
