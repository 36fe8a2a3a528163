import type { RequestEvent } from '../domain/events.ts';
import { explain } from '../domain/explain/explain.ts';
import { canonicalJson } from '../domain/plan.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type Answered, askAs } from '../engine/ask.ts';
import type { Stored } from '../ports/ledger.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { FoundRun } from './found.ts';
import type { Site } from './site.ts';

export type Accepted = { readonly run: string; readonly accepted: true; readonly seq: number };

/** Asks the coordinator of a run for something, once for each key, and waits for its answer. */
export async function command(
  site: Site,
  { repository, state, stored }: FoundRun,
  asked: RequestEvent,
): Promise<Result<Accepted, Problem>> {
  const request = site.key === null ? asked : { ...asked, key: site.key };
  return await oneAtATime(`${repository.id} ${state.run} ${site.key ?? ''}`, site.key !== null, async () => {
    const newest = site.key === null ? stored : ((await repository.runs.find(state.run))?.stored ?? stored);
    const earlier =
      site.key === null ? undefined : newest.find(({ event }) => 'key' in event && event.key === site.key);
    if (earlier !== undefined && !isSame(earlier, request)) return err(otherRequest);
    const { answered, seq } = await askAs(repository.desk, { run: state.run, state }, request, earlier);
    return toldOf(state.run, answered, seq);
  });
}

function toldOf(run: string, answered: Answered, seq: number): Result<Accepted, Problem> {
  switch (answered.outcome) {
    case 'accepted':
      return ok({ run, accepted: true, seq });
    case 'refused': {
      const { detail, fix } = explain(answered.because);
      return err(problem(409, 'refused', detail, { next: fix ?? `tidegate why ${run}` }));
    }
    case 'halted':
      return err(
        problem(503, 'halted', `halted: ${explain(answered.because).detail}`, { next: `tidegate resume ${run}` }),
      );
    case 'no-answer':
      return err(
        problem(503, 'no-answer', 'no coordinator answers; the request is recorded', {
          next: `tidegate resume ${run}`,
        }),
      );
  }
}

/** Who asked does not matter: the same person may do so by another way. */
function isSame({ event }: Stored, request: RequestEvent): boolean {
  const bare = (one: object): string => canonicalJson({ ...one, by: null });
  return bare(event) === bare(request);
}

export const otherRequest = problem(422, 'key-reused', 'this Idempotency-Key stood for another request', {
  field: 'headers.idempotency-key',
  next: 'use a new key for a new request',
});

const under = new Map<string, Promise<unknown>>();

/** Two requests with one key that come together are one after the other. */
export async function oneAtATime<T>(name: string, isKeyed: boolean, body: () => Promise<T>): Promise<T> {
  if (!isKeyed) return await body();
  const before = under.get(name) ?? Promise.resolve();
  const mine = before.then(body, body);
  under.set(name, mine);
  try {
    return await mine;
  } finally {
    if (under.get(name) === mine) under.delete(name);
  }
}
