import { readFileSync } from 'node:fs';
import { openApi } from '../src/contract/openapi.ts';
import { routes } from '../src/contract/routes.ts';
import type { Route } from '../src/protocol/route.ts';
import { type Schema, typeOf } from './schema-types.ts';

/**
 * The types of `tidegate/client` as one file that needs no library: those of the source are inferred from zod, which nobody who uses
 * the client has to have. They are made from the OpenAPI document; a test holds both sets of types against each other.
 */
export function clientTypes(): string {
  const document = openApi(routes, '');
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  const calls = Object.entries<Route>(routes).map(([name, route]) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()] as unknown as Operation;
    return `  /** ${route.summary}. Takes the role \`${route.role}\`. */\n  readonly ${name}: ${callOf(route, operation)};`;
  });
  return [
    '// Made from the routes of Tidegate; do not edit.',
    ...Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`),
    handWritten,
    readFileSync(new URL('../src/contract/call-options.ts', import.meta.url), 'utf8').replaceAll(
      /^(?:import|\/\/) .*\n/gm,
      '',
    ),
    `export type TidegateClient = {\n${calls.join('\n')}\n};`,
    '',
  ].join('\n\n');
}

const handWritten = `/** Thrown when the server refuses. */
export declare class TidegateProblem extends Error {
  override readonly name = 'TidegateProblem';
  readonly problem: Problem;
  constructor(problem: Problem);
}

export declare function tidegateClient(options: ClientOptions): TidegateClient;`;

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Operation = {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

function callOf({ answer, method }: Route, { parameters, requestBody, responses }: Operation): string {
  const given = parameters.filter((one) => one.in !== 'header');
  const members = given.map(({ name, required, schema }) => {
    // its text may be given as well: that is what is sent
    const type = schema.type === 'integer' ? 'number | string' : typeOf(schema);
    return `${name}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`;
  });
  const body = requestBody?.content['application/json']?.schema;
  const options = 'content' in answer ? 'TextCallOptions' : 'events' in answer ? 'WatchOptions' : optionsOf(method);
  const needsBody = requestBody?.required === true;
  const needsGiven = given.some(({ required }) => required);
  const args = [
    // what may be left out can only be so at the end
    `given${needsGiven || needsBody ? '' : '?'}: { ${members.join('; ')} }${needsBody && !needsGiven ? ' | undefined' : ''}`,
    ...(body === undefined ? [] : [`body${needsBody ? '' : '?'}: ${typeOf(body)}`]),
    `options?: ${options}`,
  ];
  return `(${args.join(', ')}) => ${answerType(answer, responses)}`;
}

const optionsOf = (method: Route['method']): string => (method === 'GET' ? 'CallOptions' : 'CommandCallOptions');

function answerType(answer: Route['answer'], responses: Operation['responses']): string {
  if ('content' in answer) return 'Promise<TextStream>';
  const [content] = Object.values(responses[answer.status]?.content ?? {});
  const type = typeOf(content?.schema ?? {});
  return 'schema' in answer ? `Promise<${type}>` : `AsyncIterable<${type}>`;
}
