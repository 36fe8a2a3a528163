import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { postLimits, recordKinds } from '../domain/board.ts';

/** The client in the fence, which starts this: what it may ask of the supervisor of its attempt. */
export type Client = {
  ask(message: object): Promise<Said>;
  /** What was written to this task, quoted as data. */
  inbox(): Promise<string | null>;
};
type Said = {
  readonly ok: boolean;
  readonly why?: string;
  readonly granted?: boolean;
  readonly answer?: string | null;
  readonly scope?: unknown;
};

/**
 * The commands of an agent as MCP tools on stdin and stdout. One file beside the client, and loaded by it only when it is asked
 * for. What only people may do is no tool.
 */
export function serve(client: Client): void {
  serveStdio(() => {
    const server = new McpServer({ name: 'tidegate', version: '1' }, { instructions });
    for (const { name, description, input, run } of tools(client))
      server.registerTool(name, { description, inputSchema: input }, async (given) => {
        const { text, failed } = await run(given as never);
        return { content: [{ type: 'text', text }], ...(failed === true ? { isError: true } : {}) };
      });
    return server;
  });
}

const instructions =
  'You work on one task of a Tidegate run. Call `handoff` when you are through: without it nothing counts as done. `scope` says what you may change.';

type Spoken = { readonly text: string; readonly failed?: true };
type Tool<S extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  run(given: z.output<S>): Promise<Spoken>;
};

const texts = z.array(z.string()).optional();
const seconds = z.int().min(0).max(600).optional();
const text = z.string().min(1).max(postLimits.characters);
const notTaken = ({ why }: Said): Spoken => ({ text: `not taken: ${why ?? 'no reason given'}`, failed: true });
const tool = <S extends z.ZodObject>(one: Tool<S>): Tool => one as unknown as Tool;

const tools = ({ ask, inbox }: Client): readonly Tool[] => [
  tool({
    name: 'handoff',
    description:
      'End the task with a statement of what you did. `partial` and `failed` when they are the truth. Afterwards, end your turn.',
    input: z.strictObject({
      status: z.enum(['done', 'partial', 'failed']),
      summary: z.string().describe('what you did, or why it cannot be done'),
      remaining: texts.describe('what is left'),
      files: texts.describe('files that you changed'),
      proofs: texts.describe('what shows that it works'),
      questions: texts,
    }),
    run: async ({ remaining = [], files = [], proofs = [], questions = [], ...said }) => {
      const answer = await ask({ do: 'handoff', handoff: { ...said, remaining, files, proofs, questions } });
      return answer.ok ? { text: 'handoff taken; you may end now' } : notTaken(answer);
    },
  }),
  tool({
    name: 'post',
    description: 'Tell other tasks of this run, or a person, what they have to know.',
    input: z.strictObject({
      text,
      to: z.string().optional().describe('a task, `person` or `all`; all, if nobody is named'),
      kind: z.enum(recordKinds).optional(),
    }),
    run: async ({ text, to = 'all', kind = 'note' }) => {
      const answer = await ask({ do: 'post', kind, target: to, text, wait: 0 });
      return answer.ok ? { text: `posted for ${to}` } : notTaken(answer);
    },
  }),
  tool({
    name: 'ask',
    description:
      'Ask a person a question, or for paths beyond your scope. Nobody has to answer: go on meanwhile, or wait a while.',
    input: z.strictObject({
      question: text.optional(),
      to: z.string().optional().describe('a task instead of a person'),
      scope: z.array(z.string()).min(1).max(20).optional().describe('paths that you need to change'),
      why: z.string().max(500).optional().describe('why you need them'),
      wait: seconds.describe('seconds to wait for the answer'),
    }),
    run: async ({ question, to = 'person', scope, why = '', wait = 0 }) => {
      if (scope !== undefined) {
        const answer = await ask({ do: 'ask', paths: scope, why: question ?? why, wait });
        if (!answer.ok) return notTaken(answer);
        return { text: answer.granted === true ? 'granted: you may change them now' : 'asked, and not granted so far' };
      }
      if (question === undefined) return { text: 'not taken: there is no question', failed: true };
      const answer = await ask({ do: 'post', kind: 'question', target: to, text: question, wait });
      if (!answer.ok) return notTaken(answer);
      return {
        text: typeof answer.answer === 'string' ? `answered: ${answer.answer}` : 'asked, and not answered so far',
      };
    },
  }),
  tool({
    name: 'inbox',
    description: 'What people and other tasks wrote to you, and the answers to what you asked.',
    input: z.strictObject({}),
    run: async () => {
      const mail = await inbox();
      return mail === null ? { text: 'the supervisor does not answer', failed: true } : { text: mail };
    },
  }),
  tool({
    name: 'scope',
    description: 'What this task owns and may change now, what people granted, and what is not yours.',
    input: z.strictObject({}),
    run: async () => {
      const answer = await ask({ do: 'scope' });
      return answer.ok ? { text: JSON.stringify(answer.scope ?? null, null, 2) } : notTaken(answer);
    },
  }),
];
