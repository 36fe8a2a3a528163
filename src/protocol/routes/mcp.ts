import { z } from 'zod';
import { id } from '../documents/common.ts';
import { nothing, type Passage } from '../route.ts';

/** Beside the routes: what is said there has documents of its own. */
export const passages = {
  mcp: {
    method: 'POST',
    path: '/mcp',
    role: 'read',
    group: 'MCP',
    summary: 'The Model Context Protocol, streamable HTTP: status, why and logs as tools',
    params: nothing,
    query: z.strictObject({ repository: id.optional() }),
    body: z.unknown(),
    answer: { status: 200, protocol: 'mcp' },
    refuses: [404, 409],
  },
} as const satisfies Readonly<Record<string, Passage>>;
