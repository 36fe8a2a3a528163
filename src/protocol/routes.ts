import { repositoryRoutes } from './routes/repositories.ts';

/** Every route, by name. The router, the documents, the client and the tests all read this one table. */
export const routes = { ...repositoryRoutes } as const;
export type Routes = typeof routes;
