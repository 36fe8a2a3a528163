import { z } from 'zod';
import { policy } from '../../domain/settings/policy.ts';
import { id } from '../documents/common.ts';
import { dependency } from '../documents/run.ts';
import { does, json, shows } from '../route.ts';
import { accepted } from './commands.ts';
import { runParams } from './runs.ts';
import { repositoryParams } from './server.ts';

const group = 'Dependencies';
const inRepository = '/v1/repositories/{repository}';
const path = `${inRepository}/runs/{run}/dependencies` as const;
const text = z.string().regex(/\S/, 'is empty').max(policy.recordCharacters);
const dependencyId = z.string().regex(/^d[0-9]{1,9}$/, 'is not a dependency');
const endParams = z.strictObject({ ...runParams.shape, dependency: dependencyId });
const dependedOn = {
  on: z.string().min(1).max(250).meta({ description: 'a run, `run/task` or a branch' }),
  required: z.boolean().default(true).meta({ description: 'false: it is only shown' }),
  text: text.meta({ description: 'the work that is needed' }),
};
const decision = z.strictObject({
  end: z.enum(['resolved', 'cancelled']),
  reason: text.meta({ description: 'the reason, which is recorded' }),
});

export const dependencyRoutes = {
  dependencies: shows(
    {
      group,
      path: `${inRepository}/dependencies`,
      params: repositoryParams,
      summary: 'Every dependency between the runs and branches of a repository, oldest first',
    },
    json(z.strictObject({ items: z.array(dependency) })),
  ),
  addDependency: does(
    { group, path, params: runParams, role: 'approve', summary: 'Make a run or a task wait for a run, task or branch' },
    z.strictObject({
      task: id.optional().meta({ description: 'the task that depends on it; without one, the whole run' }),
      ...dependedOn,
    }),
    json(accepted, 202),
  ),
  addBranchDependency: does(
    {
      group,
      path: `${inRepository}/dependencies`,
      params: repositoryParams,
      role: 'approve',
      summary: 'Let nothing land on a branch until a run has landed there or a person decides',
    },
    z.strictObject({
      branch: z.string().min(1).max(250).meta({ description: 'the branch that depends on it' }),
      ...dependedOn,
    }),
    json(accepted, 202),
  ),
  endBranchDependency: does(
    {
      group,
      path: `${inRepository}/dependencies/{dependency}/end`,
      params: z.strictObject({ ...repositoryParams.shape, dependency: dependencyId }),
      role: 'approve',
      summary: 'Resolve or cancel a dependency of a branch',
    },
    decision,
    json(accepted, 202),
  ),
  endDependency: does(
    {
      group,
      path: `${path}/{dependency}/end`,
      params: endParams,
      role: 'approve',
      summary: 'Resolve or cancel a dependency of a run',
    },
    decision,
    json(accepted, 202),
  ),
} as const;
