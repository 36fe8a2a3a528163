import { z } from 'zod';
import { time } from '../documents/common.ts';
import { accessRoles, does, json, shows } from '../route.ts';

const group = 'Server';

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
    { path: '/v1/server', group, summary: 'Which server this is, and what the token may do', refuses: [] },
    json(z.strictObject({ version: z.string(), role: z.enum(accessRoles), home: z.string().nullable() })),
  ),
  doctor: shows(
    { path: '/v1/doctor', group, summary: 'Is the machine of the server fit for a run?', refuses: [] },
    json(z.strictObject({ ready: z.boolean(), examined: z.array(examined) })),
  ),
  link: does(
    { path: '/v1/links', group, role: 'approve', summary: 'A link that lets one browser in, once', refuses: [] },
    z.strictObject({ role: z.enum(accessRoles).default('approve') }),
    json(z.strictObject({ path: z.string(), expires: time }), 201),
  ),
} as const;
