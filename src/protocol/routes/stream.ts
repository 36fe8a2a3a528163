import { z } from 'zod';
import { channel, cursor, envelope } from '../envelope.ts';
import { json, shows } from '../route.ts';
import { repositoryParams } from './repositories.ts';

const group = 'Events';

export const streamRoutes = {
  watch: shows(
    {
      path: '/v1/repositories/{repository}/events/stream',
      group,
      summary: 'Events as they come, as server-sent events; `/v1/stream` has the same as a WebSocket',
      params: repositoryParams,
      query: z.strictObject({
        after: cursor.optional().meta({ description: 'the last one that was handled; without it, from now on' }),
        channel: channel.default('global'),
      }),
      refuses: [404, 410, 503],
    },
    { status: 200, events: envelope },
  ),
  asyncapi: shows(
    { path: '/asyncapi.json', group, summary: 'The AsyncAPI document of the events', refuses: [] },
    json(z.looseObject({ asyncapi: z.string() })),
  ),
} as const;
