import { z } from 'zod';
import { json, shows } from '../route.ts';

export const contractRoutes = {
  openapi: shows(
    { path: '/openapi.json', group: 'Contract', summary: 'This document, as OpenAPI 3.1', refuses: [] },
    json(z.looseObject({ openapi: z.literal('3.1.1'), paths: z.record(z.string(), z.looseObject({})) })),
  ),
} as const;
