import { type Batch, own, type Session } from '../dcm/session.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import { siteRepository } from './found.ts';
import type { ServedRepository, Site } from './site.ts';

/** `at`: as it was at that event of the ledger. */
export type Where = { readonly repository?: string | undefined; readonly at?: number | undefined };

/** The repository that a path without one is about: the one asked for, else the server's own, else the only one. */
export async function repositoryMeant(
  { repositories, ...site }: Site,
  where: Where,
): Promise<Result<ServedRepository, Problem>> {
  const named = where.repository ?? repositories.home;
  if (named !== null) return await siteRepository({ repositories, ...site }, named, where.at);
  const all = await repositories.list();
  const [only, ...more] = all;
  if (only !== undefined && more.length === 0)
    return await siteRepository({ repositories, ...site }, only.id, where.at);
  return err(
    problem(
      409,
      'which-repository',
      all.length === 0
        ? 'there is no repository here yet'
        : `there are several repositories: ${all.map(({ id }) => id).join(', ')}`,
      {
        field: 'query.repository',
        next: all.length === 0 ? 'start tidegate serve in a repository' : `say which: ?repository=${only?.id ?? ''}`,
      },
    ),
  );
}

export async function sessionAt(site: Site, where: Where, id: string): Promise<Result<Session, Problem>> {
  const repository = await repositoryMeant(site, where);
  return repository.ok ? ok(await repository.value.sessions.session(id, where.at)) : repository;
}

type FoundBatch = { readonly repository: ServedRepository; readonly session: Session; readonly batch: Batch };

export async function batchAt(site: Site, where: Where, id: string): Promise<Result<FoundBatch, Problem>> {
  const repository = await repositoryMeant(site, where);
  if (!repository.ok) return repository;
  const { sessions } = repository.value;
  const of = await sessions.ofBatch(id);
  if (of === undefined) return err(noBatch(id));
  const session = await sessions.session(of, where.at);
  const batch = own(session.batches, id);
  return batch === undefined ? err(noBatch(id)) : ok({ repository: repository.value, session, batch });
}

export const noBatch = (id: string): Problem => problem(404, 'unknown-batch', `there is no batch ${id} here`);
export const noSubtask = (id: string): Problem => problem(404, 'unknown-subtask', `there is no subtask ${id} here`);
