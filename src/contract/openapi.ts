import { z } from 'zod';
import { cookieName, pageKeyHeader } from '../protocol/credentials.ts';
import { cursorPattern } from '../protocol/cursor.ts';
import './documents.ts';
import { type ProblemStatus, problemSchema, titles } from '../protocol/problem.ts';
import { accessRoles, changes, type Route, refusalStatuses } from '../protocol/route.ts';

type Json = { readonly [key: string]: unknown };
export type OpenApi = {
  readonly openapi: '3.1.1';
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json & { readonly schemas: Readonly<Record<string, Json>> };
} & Json;

/** What each heading is about. */
const groups: Readonly<Record<string, string>> = {
  Commands:
    'All that changes a run. Each is a request in the ledger, taken or refused by the coordinator; the same `Idempotency-Key` asks once.',
  Contract: 'What this server can be asked, for programs.',
  Board: 'What agents and people of a run write to one another. An open question holds nothing up.',
  Planner: 'A goal as waves of work, and a prompt for one agent, by fixed rules. Nothing is kept.',
  Plans: 'Whether a plan would do, before anything is kept of it.',
  Repositories: 'Every repository of the person that Tidegate keeps state of.',
  Runs: 'One execution of a plan: where it stands, what it waits for, what was judged. `?at=` shows it as it was at an event.',
  Server: 'The server itself and the machine it is on.',
  Tasks: 'One piece of work for one agent, its attempts, and what they left.',
  Events: 'The ledger: every fact, in order.',
  DCM: 'The API that DCM documents, over sessions that others drive: recorded and judged; nothing of them is run or merged by us.',
};

/** The OpenAPI document of these routes: the same for the same routes, whoever makes it. */
export function openApi(routes: Readonly<Record<string, Route>>, version: string): OpenApi {
  const schemas = schemaShelf();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const methods = paths[route.path] ?? {};
    paths[route.path] = methods;
    methods[route.method.toLowerCase()] = operation(name, route, schemas);
  }
  const problem = schemas.answer(problemSchema);
  const used = [...new Set(Object.values(routes).map(({ group }) => group))];
  return {
    openapi: '3.1.1',
    info: { title: 'Tidegate', version, description: introduction, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: 'http://127.0.0.1:3847', description: '`tidegate serve`, on the machine of the person' }],
    tags: used.map((name) => ({ name, ...(groups[name] === undefined ? {} : { description: groups[name] }) })),
    paths,
    components: {
      securitySchemes,
      responses: Object.fromEntries(
        [...new Set(Object.values(routes).flatMap(refusalStatuses))].map((status) => [
          `Problem${status}`,
          { description: titles[status], content: { 'application/problem+json': { schema: problem } } },
        ]),
      ),
      schemas: schemas.all(),
    },
  };
}

const introduction = `All that \`tidegate\` shows and does, for other programs. Every request needs a token (\`tidegate token\`) or what a browser gets for a one-time link: a cookie and, with it, a page key.
Each role may all that those before it may: ${accessRoles.map((role) => `\`${role}\``).join(', ')}; an operation names the one that it takes. Refusals are problem documents
(RFC 9457) with the field at fault and what to do next. Lists are paged by cursor. Answers may gain members: do not refuse those that you do not know.`;

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'What `tidegate token` prints, one for each role' },
  cookie: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'What a browser gets for a one-time link' },
  pageKey: {
    type: 'apiKey',
    in: 'header',
    name: pageKeyHeader,
    description: 'What the page has that the link led to',
  },
} as const;

function operation(name: string, route: Route, schemas: SchemaShelf): Json {
  return {
    operationId: name,
    tags: [route.group],
    summary: route.summary,
    description: `Takes the role \`${route.role}\`.`,
    security: [{ token: [route.role] }, { cookie: [route.role], pageKey: [] }],
    parameters: [...parameters(route, 'path'), ...parameters(route, 'query'), ...headers(route)],
    ...(route.body === null ? {} : { requestBody: requestBody(route.body, schemas) }),
    responses: { ...answers(route, schemas), ...Object.fromEntries(refusalStatuses(route).map(refusal)) },
  };
}

const refusal = (status: ProblemStatus) => [status, { $ref: `#/components/responses/Problem${status}` }] as const;

function parameters(route: Route, where: 'path' | 'query'): readonly Json[] {
  const { properties = {}, required = [] } = plainSchema(where === 'path' ? route.params : route.query, 'input');
  return Object.entries(properties as Readonly<Record<string, Json>>).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: (required as readonly string[]).includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function headers(route: Route): readonly Json[] {
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same one again asks for nothing new: it is answered as the first was.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
  };
  const range = {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes: `bytes=0-1023`, `bytes=1024-`, or the last so many, `bytes=-65536`.',
    schema: { type: 'string', pattern: '^bytes=\\d*-\\d*$' },
  };
  const reached = {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The cursor of the last event that was handled; it goes before `after`.',
    schema: { type: 'string', pattern: cursorPattern.source },
  };
  const { answer } = route;
  return [
    ...(changes(route) ? [key] : []),
    ...('content' in answer ? [range] : []),
    ...('events' in answer ? [reached] : []),
  ];
}

const requestBody = (body: z.ZodType, schemas: SchemaShelf): Json => ({
  // what may be left out altogether accepts an empty object
  required: !body.safeParse({}).success,
  content: { 'application/json': { schema: schemas.body(body) } },
});

function answers({ answer, method }: Route, schemas: SchemaShelf): Json {
  if ('schema' in answer) {
    const description = method === 'GET' ? 'As it is now' : accepted[answer.status];
    return {
      [answer.status]: { description, content: { 'application/json': { schema: schemas.answer(answer.schema) } } },
    };
  }
  if ('events' in answer) {
    const content = { 'text/event-stream': { schema: schemas.answer(answer.events) } };
    return { 200: { description: 'Events as they come; `data` of each is this document', content } };
  }
  const content = { [answer.content]: { schema: { type: 'string' } } };
  return {
    200: { description: 'The whole of it', headers: { 'Accept-Ranges': text('bytes') }, content },
    206: { description: 'The range that was asked for', headers: { 'Content-Range': text('which') }, content },
  };
}

const accepted = { 200: 'Done', 201: 'Made', 202: 'Asked for; what comes of it is seen in its run' } as const;
const text = (description: string): Json => ({ description, schema: { type: 'string' } });

type SchemaShelf = {
  body(schema: z.ZodType): Json;
  answer(schema: z.ZodType): Json;
  /** Every schema with a name of its own, by it. */
  all(): Readonly<Record<string, Json>>;
};

/** One that is both sent and answered has two forms: a member that we do not know is a mistake only in what is sent. */
function schemaShelf(): SchemaShelf {
  const shelf = { input: new Map<string, Json>(), output: new Map<string, Json>() };
  const put = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema: _, $defs = {}, ...rest } = plainSchema(schema, io);
    const nameOf = (name: string): string => (io === 'input' ? `${name}Input` : name);
    const linked = (json: unknown): Json =>
      JSON.parse(JSON.stringify(json).replaceAll(/"#\/\$defs\/(\w+)"/g, (_all, name: string) => refTo(nameOf(name))));
    for (const [name, json] of Object.entries($defs as Readonly<Record<string, Json>>)) {
      if (name.startsWith('__')) throw new Error('a schema that holds itself needs a name: see documents.ts');
      shelf[io].set(nameOf(name), linked(json));
    }
    return linked(rest);
  };
  return {
    body: (schema) => put(schema, 'input'),
    answer: (schema) => put(schema, 'output'),
    all: () => Object.fromEntries([...shelf.output, ...shelf.input].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const refTo = (name: string): string => `"#/components/schemas/${name}"`;

function plainSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // these only say that a number is one that JavaScript can hold
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as Json;
}
