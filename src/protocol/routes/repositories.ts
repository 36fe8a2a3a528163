import { z } from 'zod';
import { id, page, pageQuery } from '../documents/common.ts';
import { json, shows } from '../route.ts';

const group = 'Repositories';
export const repositoryParams = z.strictObject({ repository: id });

export const repositoryDocument = z.strictObject({
  id,
  checkout: z.string().meta({ description: 'where it lies on the machine of the server' }),
  present: z.boolean().meta({ description: 'false: the checkout is gone, and with it the way to its runs' }),
  home: z.boolean().meta({ description: 'the one that the server was started in' }),
});

export const repositoryRoutes = {
  repositories: shows(
    {
      path: '/v1/repositories',
      group,
      summary: 'Every repository of the person that Tidegate keeps state of',
      query: pageQuery.omit({ at: true }),
      refuses: [],
    },
    json(page(repositoryDocument)),
  ),
  repository: shows(
    { path: '/v1/repositories/{repository}', group, summary: 'One repository', params: repositoryParams },
    json(repositoryDocument),
  ),
} as const;
