import { shallowJson } from '../../adapters/files/untrusted-json.ts';
import { agentActs } from '../../domain/board/acts.ts';
import { confidences, kindsOf, priorities, severities } from '../../domain/board/kinds.ts';
import { type ClosureRole, qaDimensions, roleWords } from '../../domain/closure/roles.ts';
import { policy } from '../../domain/settings/policy.ts';
import type { ChannelAnswer } from './client-channel.ts';

/** A command of the fence client as a tool. Nothing that only people may do is a tool. */
type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  /** Returns the message that the fence client would send; a text when the arguments make none. */
  message(args: ToolArguments): object | string;
  /** Returns the text that the agent gets when the message was taken. */
  reply(answer: ChannelAnswer, args: ToolArguments): string;
};
/** Arguments that fit the schema. */
type ToolArguments = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that these tools need; `argumentMisfit` knows the same part. */
type Schema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};
type Property = { readonly description?: string } & (
  | { readonly type: 'string'; readonly maxLength?: number; readonly enum?: readonly string[] }
  | { readonly type: 'array'; readonly items: { readonly type: 'string' }; readonly maxItems?: number }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | {
      readonly type: 'object';
      readonly additionalProperties: { readonly type: 'string'; readonly enum: readonly string[] };
    }
);

/** Returns one line that says why the arguments do not fit; null when they do. */
function argumentMisfit({ properties, required }: Schema, args: ToolArguments): string | null {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return `there is no argument ${JSON.stringify(unknown.slice(0, 80))}`;
  const missing = required.find((name) => args[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  const wrong = Object.entries(args).find(([name, value]) => !fits(properties[name], value));
  return wrong === undefined ? null : `${wrong[0]} must be ${shown(properties[wrong[0]])}`;
}

function fits(property: Property | undefined, value: unknown): boolean {
  switch (property?.type) {
    case 'string':
      return (
        typeof value === 'string' &&
        value.length <= (property.maxLength ?? value.length) &&
        (property.enum?.includes(value) ?? true)
      );
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= (property.maxItems ?? value.length) &&
        value.every((one) => typeof one === 'string')
      );
    case 'integer':
      return Number.isInteger(value) && Number(value) >= property.minimum && Number(value) <= property.maximum;
    case 'object':
      return (
        isObject(value) &&
        Object.values(value).every((one) => property.additionalProperties.enum.some((word) => word === one))
      );
    default:
      return false;
  }
}

function shown(property: Property | undefined): string {
  if (property?.type === 'array')
    return `a list of ${property.maxItems === undefined ? '' : `at most ${property.maxItems} `}texts`;
  if (property?.type === 'object') return `names with ${property.additionalProperties.enum.join(', ')}`;
  if (property?.type === 'integer') return `a whole number from ${property.minimum} to ${property.maximum}`;
  return property?.enum === undefined
    ? `a text${property?.maxLength === undefined ? '' : ` of at most ${property.maxLength} characters`}`
    : `one of ${property.enum.join(', ')}`;
}

const takes = (properties: Schema['properties'], required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text: Property = { type: 'string', maxLength: policy.recordCharacters };
const texts: Property = { type: 'array', items: { type: 'string' } };

const handoffTool: Tool = {
  name: 'handoff',
  description:
    'End the task with a statement of what you did. `partial` and `failed` when they are the truth. Afterwards, end your turn.',
  inputSchema: takes(
    {
      status: { type: 'string', enum: ['done', 'partial', 'failed'] },
      summary: { type: 'string', description: 'your changes, or the reason why it cannot be done' },
      remaining: { ...texts, description: 'work that is left' },
      files: { ...texts, description: 'files that you changed' },
      proofs: { ...texts, description: 'commands and results that show that it works' },
      questions: texts,
      dropped: {
        ...texts,
        description:
          'resolvers: changes of either side that the result lacks, each as `path:lines reason` or `path:mode reason`',
      },
      claims: {
        ...texts,
        description: 'levels of your exit contract that you reached, as `part=level`, for example `proof=unit`',
      },
    },
    ['status', 'summary'],
  ),
  message({ claims, ...handoff }) {
    if (claims === undefined) return { do: 'handoff', handoff };
    const pairs = [claims].flat().map((claim) => String(claim).split('=', 2));
    const unclear = pairs.find((pair) => pair.length < 2);
    if (unclear !== undefined) return `the claim ${unclear[0]} has no level: write part=level`;
    return { do: 'handoff', handoff: { ...handoff, claims: Object.fromEntries(pairs) } };
  },
  reply: () => 'handoff taken; you may end now',
};

const eachWith = (words: readonly string[], description: string): Property => ({
  type: 'object',
  additionalProperties: { type: 'string', enum: words },
  description,
});

/** Arguments that only one role has. */
const partsOf: Readonly<Partial<Record<ClosureRole, Schema['properties']>>> = {
  eval: {
    targets: { ...texts, description: 'ids of the targets' },
    benchmarks: { ...texts, description: 'ids of the benchmarks that you ran' },
    regressions: { type: 'integer', minimum: 0, maximum: 1_000_000 },
  },
  security: { approvals: { ...texts, description: 'approvals that are needed' } },
  docs: { items: { ...texts, description: 'items of the docs queue that you closed' } },
  deploy: { environments: eachWith(roleWords.deploy.words, 'your word for each environment') },
  qa: { dimensions: eachWith(roleWords.qa.words, `your word for any of ${qaDimensions.join(', ')}`) },
};

const verdictTool = (role: ClosureRole): Tool => ({
  name: 'verdict',
  description: 'End your role with your report on the work of the wave. Afterwards, end your turn.',
  inputSchema: takes(
    {
      word: { type: 'string', enum: roleWords[role].words },
      summary: { type: 'string', description: 'your conclusion in one sentence' },
      findings: { ...texts, description: 'your findings, one each' },
      ...partsOf[role],
    },
    ['word'],
  ),
  message: ({ word, summary = `${role}: ${word}`, ...report }) => ({
    do: 'handoff',
    handoff: { status: 'done', summary, report: { word, ...report } },
  }),
  reply: () => 'report taken; you may end now',
});

const commonTools = (role: ClosureRole | undefined): readonly Tool[] => [
  {
    name: 'post',
    description:
      'Tell other tasks of this run, or a person, what they have to know, or ask a task for something: an open request or question to a task keeps its wave open. Post a contradiction when parts of the work do not fit together.',
    inputSchema: takes(
      {
        text,
        to: {
          type: 'string',
          description:
            'a task, `owner` (of what it refers to), `capability:<name>`, `person` or `all`; needed for a request; default: `person` for a blocker, otherwise `all`',
        },
        kind: {
          type: 'string',
          enum: kindsOf(role === 'integration' ? 'integration' : 'agent'),
          description: 'default: note',
        },
        severity: {
          type: 'string',
          enum: severities,
          description: 'default: normal; an advisory record blocks nothing',
        },
        references: {
          ...texts,
          maxItems: 20,
          description: 'paths, `component:<name>`, `task:<name>` or `record:<number>`',
        },
        dependsOn: { ...texts, maxItems: 20, description: 'numbers of records that must be settled first' },
        closureCondition: { ...text, description: 'when it is settled, in words' },
        priority: { type: 'string', enum: priorities },
        confidence: { type: 'string', enum: confidences },
      },
      ['text'],
    ),
    message: ({ to, kind = 'note', ...post }) => ({ do: 'post', kind, target: to, ...post }),
    reply: (_, { to }) => (to === undefined ? 'posted' : `posted for ${to}`),
  },
  {
    name: 'ask',
    description:
      'Ask a person a question, or for paths beyond your scope. Go on meanwhile, or wait a while. Only a critical question has to be answered: until then nothing lands.',
    inputSchema: takes({
      question: text,
      to: { type: 'string', description: 'a task instead of a person' },
      severity: { type: 'string', enum: severities, description: 'default: normal' },
      scope: { ...texts, maxItems: 20, description: 'paths that you need to change' },
      why: { type: 'string', maxLength: 500, description: 'why you need them' },
      wait: { type: 'integer', minimum: 0, maximum: 600, description: 'seconds to wait for the answer' },
    }),
    message({ question, to = 'person', severity, scope, why = '', wait = 0 }) {
      if (scope !== undefined) return { do: 'ask', paths: scope, why: question ?? why, wait };
      if (question === undefined) return 'there is no question';
      return { do: 'post', kind: 'question', target: to, text: question, severity, wait };
    },
    reply({ granted, later, answer }, { scope }) {
      if (scope !== undefined && later !== undefined) return laterText(later);
      if (scope !== undefined)
        return granted === true ? 'granted: you may change them now' : 'asked, and not granted so far';
      return typeof answer === 'string' ? `answered: ${answer}` : 'asked, and not answered so far';
    },
  },
  {
    name: 'record',
    description:
      'Act on a record of the board. Acknowledge, start, answer, resolve or escalate a record for your task; cancel one that you posted. Everything else is for people.',
    inputSchema: takes(
      {
        record: { type: 'string', maxLength: 9, description: 'its number' },
        act: { type: 'string', enum: agentActs },
        text: { ...text, description: 'the answer, or how it was resolved, or why a person is needed' },
      },
      ['record', 'act'],
    ),
    message: ({ record, act, text }) => ({ do: 'act', record, act, text }),
    reply: (_, { record, act }) => `${act}: record ${record}, taken`,
  },
  {
    name: 'inbox',
    description:
      'Messages to you from people and other tasks, the answers to your questions, and what is open in your wave. The most important first.',
    inputSchema: takes({
      record: { type: 'string', maxLength: 9, description: 'the number of one record, shown whole' },
    }),
    message: ({ record }) => ({ do: 'inbox', record }),
    reply: ({ mail = '' }) => mail,
  },
  {
    name: 'scope',
    description:
      'Paths that this task owns and may change now, paths that people granted, and paths that are not yours.',
    inputSchema: takes({}),
    message: () => ({ do: 'scope' }),
    reply: ({ scope = null }) => JSON.stringify(scope, null, 2),
  },
];

/** Everything that the orchestrator can do. */
const orchestratorTools: readonly Tool[] = [
  {
    name: 'post',
    description: 'Write guidance to a task, to all tasks, or to all tasks with a capability. They read it as advice.',
    inputSchema: takes(
      {
        text,
        to: { type: 'string', description: 'a task, `capability:<name>` or `all`; default: all' },
        references: { ...texts, maxItems: 20, description: 'paths, `task:<name>` or `record:<number>`' },
      },
      ['text'],
    ),
    message: ({ to = 'all', ...post }) => ({ do: 'post', kind: 'orchestrator-guidance', target: to, ...post }),
    reply: (_, { to = 'all' }) => `posted for ${to}`,
  },
  {
    name: 'inbox',
    description: 'The waves, the tasks and every record of the board, as they are now.',
    inputSchema: takes({}),
    message: () => ({ do: 'inbox' }),
    reply: ({ mail = '' }) => mail,
  },
];

/** Whoever uses the tools, when it is not the agent of an ordinary task. */
export type ToolUser = ClosureRole | 'orchestrator' | undefined;

/** A closure role ends with a report, every other task with a handoff, and the orchestrator with neither. */
const toolsOf = (user: ToolUser): readonly Tool[] =>
  user === 'orchestrator'
    ? orchestratorTools
    : [user === undefined ? handoffTool : verdictTool(user), ...commonTools(user)];

/** The fence client prints the same text. It imports nothing of ours, so it has a copy. */
const laterText = (paths: readonly string[]): string =>
  `granted from the next attempt on; read-only in this one: ${paths.join(' ')}. Go on without it, or hand off partial`;

/** Asks as the client in the fence does. */
export type AskChannel = (message: object) => ChannelAnswer | Promise<ChannelAnswer>;

/**
 * Answers one line of the Model Context Protocol on stdio: as much of it as a server of tools alone needs, without the libraries that
 * every supervisor would have to load. Null for a notification, and for an answer to no request.
 */
export async function mcpAnswer(line: string, ask: AskChannel, user?: ToolUser): Promise<object | null> {
  const message = shallowJson(line);
  if (message === undefined) return failed(null, codes.parse, 'that is no JSON, or too deep');
  const { jsonrpc, id, method, params } = fieldsOf(message);
  if (jsonrpc !== '2.0' || (id !== undefined && !isId(id))) return failed(null, codes.request, 'that is no request');
  if (id === undefined || method === undefined) return null;
  switch (method) {
    case 'initialize':
      return done(id, begun(fieldsOf(params)['protocolVersion'], user));
    case 'ping':
      return done(id, {});
    case 'tools/list':
      return done(id, {
        tools: toolsOf(user).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      });
    case 'tools/call':
      return await called(id, fieldsOf(params), { ask, tools: toolsOf(user) });
    default:
      return failed(id, codes.method, 'there is no such method here');
  }
}

/** The newest first. Of those between, one allows several requests in one line, which nobody sends and we do not read. */
const versions = ['2025-11-25', '2025-06-18', '2024-11-05'];

const begun = (wanted: unknown, user: ToolUser): object => ({
  protocolVersion: versions.find((version) => version === wanted) ?? versions[0],
  capabilities: { tools: {} },
  serverInfo: { name: 'tidegate', version: '1' },
  instructions:
    user === 'orchestrator'
      ? 'You watch a Tidegate run. `inbox` shows its state, and `post` writes guidance to its tasks.'
      : `You work on one task of a Tidegate run. Call \`${user === undefined ? 'handoff' : 'verdict'}\` when you have finished: without it nothing counts as done. \`scope\` lists the paths that you may change.`,
});

/** Answers wrong arguments with a text for the model, which can correct them. Only a tool that does not exist is an error of the client. */
async function called(
  id: Id,
  { name, arguments: args = {} }: ToolArguments,
  { ask, tools }: { readonly ask: AskChannel; readonly tools: readonly Tool[] },
): Promise<object> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return failed(id, codes.params, 'there is no such tool');
  const fields = fieldsOf(args);
  const wrong = argumentMisfit(tool.inputSchema, fields);
  const message = wrong ?? tool.message(fields);
  if (typeof message === 'string') return spoken(id, `not taken: ${message}`, true);
  const answer = await ask(message);
  return answer.ok
    ? spoken(id, tool.reply(answer, fields), false)
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

const isObject = (value: unknown): value is ToolArguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): ToolArguments => (isObject(value) ? value : {});
