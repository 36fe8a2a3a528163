import type { Routes } from '../contract/routes.ts';
import { dcmHandlers } from '../dcm/handlers.ts';
import { boardHandlers } from './handlers/board.ts';
import { commandHandlers } from './handlers/commands.ts';
import { contractHandlers } from './handlers/contract.ts';
import { plannerHandlers } from './handlers/planner.ts';
import { repositoryHandlers } from './handlers/repositories.ts';
import { runHandlers } from './handlers/runs.ts';
import { serverHandlers } from './handlers/server.ts';
import { streamHandlers } from './handlers/stream.ts';
import { taskHandlers } from './handlers/tasks.ts';
import type { Handlers } from './site.ts';

/** A route without a handler does not compile. */
export const handlers: Handlers<Routes> = {
  ...contractHandlers,
  ...serverHandlers,
  ...repositoryHandlers,
  ...dcmHandlers,
  ...plannerHandlers,
  ...runHandlers,
  ...streamHandlers,
  ...taskHandlers,
  ...commandHandlers,
  ...boardHandlers,
};
