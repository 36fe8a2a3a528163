import { dcmRoutes } from '../dcm/routes.ts';
import { boardRoutes } from '../protocol/routes/board.ts';
import { commandRoutes } from '../protocol/routes/commands.ts';
import { dependencyRoutes } from '../protocol/routes/dependencies.ts';
import { plannerRoutes } from '../protocol/routes/planner.ts';
import { runRoutes, streamRoutes, taskRoutes } from '../protocol/routes/runs.ts';
import { contractRoutes, repositoryRoutes, serverRoutes } from '../protocol/routes/server.ts';

/** Every route, by name. The router, the documents, the client and the tests read this one table. */
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
  ...dependencyRoutes,
} as const;
export type Routes = typeof routes;
