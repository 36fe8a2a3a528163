import { ok } from '../../domain/base/result.ts';
import { readRepository } from '../../engine/orders/find-run.ts';
import type { dependencyRoutes } from '../../protocol/routes/dependencies.ts';
import { repositoryDependencies } from '../../view/dependency-lines.ts';
import { findRepositoryAt } from '../find.ts';
import { onRepository, onRun, onTask, onWholeRun, routeActions } from '../perform.ts';
import type { Handlers } from '../site.ts';

export const dependencyHandlers: Handlers<typeof dependencyRoutes> = {
  dependencies: async ({ params }, site) => {
    const repository = await findRepositoryAt(site, params.repository);
    if (!repository.ok) return repository;
    const states = (await repository.value.runs.all()).flatMap(({ state }) => state ?? []);
    const { dependencies } = await readRepository(repository.value.repo.ledger);
    return ok({ items: repositoryDependencies(states, null, dependencies).dependencies });
  },
  addDependency: ({ params, body: { task, ...body } }, site) =>
    task === undefined
      ? onWholeRun(routeActions.addDependency)({ params, body }, site)
      : onTask(routeActions.addDependency)({ params: { ...params, task }, body }, site),
  addBranchDependency: onRepository(routeActions.addBranchDependency),
  endBranchDependency: ({ params: { dependency, ...params }, body }, site) =>
    onRepository(routeActions.endBranchDependency)({ params, body: { dependency, ...body } }, site),
  endDependency: ({ params: { dependency, ...params }, body }, site) =>
    onRun(routeActions.endDependency)({ params, body: { dependency, ...body } }, site),
};
