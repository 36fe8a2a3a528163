import { dcmRoutes } from '../dcm/routes.ts';
import { boardRoutes } from '../protocol/routes/board.ts';
import { commandRoutes } from '../protocol/routes/commands.ts';
import { contractRoutes } from '../protocol/routes/contract.ts';
import { plannerRoutes } from '../protocol/routes/planner.ts';
import { repositoryRoutes } from '../protocol/routes/repositories.ts';
import { runRoutes } from '../protocol/routes/runs.ts';
import { serverRoutes } from '../protocol/routes/server.ts';
import { streamRoutes } from '../protocol/routes/stream.ts';
import { taskRoutes } from '../protocol/routes/tasks.ts';

/** Every route, by name. The router, the documents, the client and the tests all read this one table. */
export const routes = {
  ...contractRoutes,
  ...serverRoutes,
  ...repositoryRoutes,
  ...dcmRoutes,
  ...plannerRoutes,
  ...runRoutes,
  ...streamRoutes,
  ...taskRoutes,
  ...commandRoutes,
  ...boardRoutes,
} as const;
export type Routes = typeof routes;
