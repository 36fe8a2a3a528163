import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Problem, problem } from '../../protocol/problem.ts';

type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/** A page of a list whose order never changes for what is in it. The cursor names the last one that was seen. */
export function pageOf<T>(
  all: readonly T[],
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  nameOf: (one: T) => string,
): Result<Page<T>, Problem> {
  const after = cursor === undefined ? -1 : all.findIndex((one) => nameOf(one) === cursor);
  if (cursor !== undefined && after < 0)
    return err(
      problem(410, 'bad-cursor', 'this cursor points at nothing here', {
        field: 'query.cursor',
        next: 'begin again without a cursor',
      }),
    );
  const items = all.slice(after + 1, after + 1 + limit);
  const last = items.at(-1);
  return ok({ items, next: last === undefined || after + 1 + limit >= all.length ? null : nameOf(last) });
}
