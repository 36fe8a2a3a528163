import type { Routes } from '../contract/routes.ts';
import { dcmHandlers } from '../dcm/handlers.ts';
import { dcmContext } from './find.ts';
import { boardHandlers, commandHandlers } from './handlers/commands.ts';
import { dependencyHandlers } from './handlers/dependencies.ts';
import { plannerHandlers } from './handlers/planner.ts';
import { runHandlers } from './handlers/runs.ts';
import { contractHandlers, repositoryHandlers, serverHandlers, streamHandlers } from './handlers/server.ts';
import { taskHandlers } from './handlers/tasks.ts';
import type { Handlers } from './site.ts';

/** A route without a handler does not compile. */
export const handlers: Handlers<Routes> = {
  ...contractHandlers,
  ...serverHandlers,
  ...repositoryHandlers,
  ...dcmHandlers(dcmContext),
  ...plannerHandlers,
  ...runHandlers,
  ...streamHandlers,
  ...taskHandlers,
  ...commandHandlers,
  ...boardHandlers,
  ...dependencyHandlers,
};
