import { z } from 'zod';
import { cookieName, pageKeyHeader } from '../protocol/credentials.ts';
import { cursorPattern } from '../protocol/envelope.ts';
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

/** The description of each heading. */
const groups: Readonly<Record<string, string>> = {
  Commands:
    'Requests that change a run. Each is recorded in the ledger, and the coordinator accepts or refuses it. A repeated `Idempotency-Key` makes no second request.',
  Contract: 'The description of this API, for programs.',
  Board: 'Messages between the agents and people of a run. An open question blocks nothing.',
  Dependencies: 'Runs that wait for other runs, for one of their tasks, or for a branch.',
  Planner: 'Splits a goal into waves and writes prompts, by fixed rules. Nothing is recorded.',
  Plans: 'Checks a plan before anything of it is recorded.',
  Repositories: 'Every repository that Tidegate keeps state of.',
  Runs: 'One execution of a plan: its state, its needs, its verdicts. `?at=` shows it as of an event.',
  Server: 'The server itself and its machine.',
  Tasks: 'One piece of work for one agent, with its attempts and their output.',
  Events: 'The ledger: every fact, in order.',
  DCM: 'The API that DCM documents. Another program drives the sessions; Tidegate records and judges them, but runs and merges nothing of them.',
};

/** Returns the OpenAPI document of these routes. The same routes give the same document. */
export function openApi(routes: Readonly<Record<string, Route>>, version: string): OpenApi {
  const schemas = schemaTable();
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
    servers: [{ url: 'http://127.0.0.1:3847', description: '`tidegate serve` on your machine' }],
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

const introduction = `Everything that \`tidegate\` shows and does, for other programs. Every request needs a token (\`tidegate token\`), or the cookie and the page key that a browser gets for a one-time link.
Each role includes the permissions of the roles before it: ${accessRoles.map((role) => `\`${role}\``).join(', ')}. Every operation names the role that it needs. Refusals are problem documents
(RFC 9457) with the field at fault and the next step. Lists are paged by cursor. Answers may gain members: ignore members that you do not know.`;

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'Printed by `tidegate token`, one for each role' },
  cookie: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'Set by a one-time link' },
  pageKey: {
    type: 'apiKey',
    in: 'header',
    name: pageKeyHeader,
    description: 'Passed to the page by a one-time link',
  },
} as const;

function operation(name: string, route: Route, schemas: SchemaTable): Json {
  return {
    operationId: name,
    tags: [route.group],
    summary: route.summary,
    description: `Needs the role \`${route.role}\`.`,
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
    description: 'A repeated key makes no second request and gets the answer of the first.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
  };
  const range = {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes: `bytes=0-1023`, `bytes=1024-`, or the end, `bytes=-65536`.',
    schema: { type: 'string', pattern: '^bytes=\\d*-\\d*$' },
  };
  const reached = {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The cursor of the last event that you have handled. It overrides `after`.',
    schema: { type: 'string', pattern: cursorPattern.source },
  };
  const { answer } = route;
  return [
    ...(changes(route) ? [key] : []),
    ...('content' in answer ? [range] : []),
    ...('events' in answer ? [reached] : []),
  ];
}

const requestBody = (body: z.ZodType, schemas: SchemaTable): Json => ({
  // a body that may be left out accepts an empty object
  required: !body.safeParse({}).success,
  content: { 'application/json': { schema: schemas.body(body) } },
});

function answers({ answer, method }: Route, schemas: SchemaTable): Json {
  if ('schema' in answer) {
    const description = method === 'GET' ? 'The present state' : outcomes[answer.status];
    return {
      [answer.status]: { description, content: { 'application/json': { schema: schemas.answer(answer.schema) } } },
    };
  }
  if ('events' in answer) {
    const content = { 'text/event-stream': { schema: schemas.answer(answer.events) } };
    return { 200: { description: 'Events without an end; `data` of each is this document', content } };
  }
  const content = { [answer.content]: { schema: { type: 'string' } } };
  return {
    200: { description: 'The whole content', headers: { 'Accept-Ranges': text('bytes') }, content },
    206: { description: 'The requested range', headers: { 'Content-Range': text('the range') }, content },
  };
}

const outcomes = { 200: 'Done', 201: 'Created', 202: 'Accepted; the run shows the effect' } as const;
const text = (description: string): Json => ({ description, schema: { type: 'string' } });

type SchemaTable = {
  body(schema: z.ZodType): Json;
  answer(schema: z.ZodType): Json;
  /** Every named schema, by its name. */
  all(): Readonly<Record<string, Json>>;
};

/** A schema of both requests and answers has two forms: an unknown member is a mistake only in a request. */
function schemaTable(): SchemaTable {
  const table = { input: new Map<string, Json>(), output: new Map<string, Json>() };
  const put = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema: _, $defs = {}, ...rest } = plainSchema(schema, io);
    const nameOf = (name: string): string => (io === 'input' ? `${name}Input` : name);
    const linked = (json: unknown): Json =>
      JSON.parse(JSON.stringify(json).replaceAll(/"#\/\$defs\/(\w+)"/g, (_all, name: string) => refTo(nameOf(name))));
    for (const [name, json] of Object.entries($defs as Readonly<Record<string, Json>>)) {
      if (name.startsWith('__')) throw new Error('a recursive schema needs a name: see documents.ts');
      table[io].set(nameOf(name), linked(json));
    }
    return linked(rest);
  };
  return {
    body: (schema) => put(schema, 'input'),
    answer: (schema) => put(schema, 'output'),
    all: () => Object.fromEntries([...table.output, ...table.input].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const refTo = (name: string): string => `"#/components/schemas/${name}"`;

function plainSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // these limits only mean that JavaScript can hold the number
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as Json;
}
