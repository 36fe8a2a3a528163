import { boardRoutes } from './routes/board.ts';
import { commandRoutes } from './routes/commands.ts';
import { contractRoutes } from './routes/contract.ts';
import { dcmRoutes } from './routes/dcm.ts';
import { plannerRoutes } from './routes/planner.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { runRoutes } from './routes/runs.ts';
import { serverRoutes } from './routes/server.ts';
import { streamRoutes } from './routes/stream.ts';
import { taskRoutes } from './routes/tasks.ts';

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
