import { z } from 'zod';
import { id, page, pageQuery, repositoryQuery, time } from '../documents/common.ts';
import { accessRoles, does, json, nothing, shows, type UpgradeRoute } from '../route.ts';

export const contractRoutes = {
  openapi: shows(
    { path: '/openapi.json', group: 'Contract', summary: 'This document, as OpenAPI 3.1', refuses: [] },
    json(z.looseObject({ openapi: z.literal('3.1.1'), paths: z.record(z.string(), z.looseObject({})) })),
  ),
} as const;

const examined = z.strictObject({
  name: z.string(),
  state: z.enum(['good', 'warning', 'bad']),
  found: z.string(),
  fix: z.string().nullable(),
  lines: z.array(z.string()).optional(),
  shows: z.array(z.strictObject({ path: z.string(), rule: z.string(), because: z.string() })).optional(),
  isMissing: z.literal(true).optional(),
});

export const serverRoutes = {
  server: shows(
    {
      path: '/v1/server',
      group: 'Server',
      summary: 'The version of the server and the role of your token',
      refuses: [],
    },
    json(z.strictObject({ version: z.string(), role: z.enum(accessRoles), home: z.string().nullable() })),
  ),
  doctor: shows(
    {
      path: '/v1/doctor',
      group: 'Server',
      summary: 'Whether the machine of the server is ready for a run',
      refuses: [],
    },
    json(z.strictObject({ ready: z.boolean(), examined: z.array(examined) })),
  ),
  link: does(
    {
      path: '/v1/links',
      group: 'Server',
      role: 'approve',
      summary: 'A link that lets one browser in, once',
      refuses: [],
    },
    z.strictObject({ role: z.enum(accessRoles).default('approve') }),
    json(z.strictObject({ path: z.string(), expires: time }), 201),
  ),
} as const;

export const repositoryParams = z.strictObject({ repository: id });

export const repositoryDocument = z.strictObject({
  id,
  checkout: z.string().meta({ description: 'its path on the machine of the server' }),
  present: z.boolean().meta({ description: 'false: the checkout is gone, and its runs cannot be reached' }),
  home: z.boolean().meta({ description: 'the server was started in this repository' }),
});

export const repositoryRoutes = {
  repositories: shows(
    {
      path: '/v1/repositories',
      group: 'Repositories',
      summary: 'Every repository that Tidegate keeps state of',
      query: pageQuery.omit({ at: true }),
      refuses: [],
    },
    json(page(repositoryDocument)),
  ),
  repository: shows(
    {
      path: '/v1/repositories/{repository}',
      group: 'Repositories',
      summary: 'One repository',
      params: repositoryParams,
    },
    json(repositoryDocument),
  ),
} as const;

/** Not part of the OpenAPI document: these protocols have documents of their own. */
export const upgradeRoutes = {
  mcp: {
    method: 'POST',
    path: '/mcp',
    role: 'read',
    group: 'MCP',
    summary: 'The Model Context Protocol over streamable HTTP: status, why and logs as tools',
    params: nothing,
    query: repositoryQuery,
    body: z.unknown(),
    answer: { status: 200, protocol: 'mcp' },
    refuses: [404, 409],
  },
} as const satisfies Readonly<Record<string, UpgradeRoute>>;
