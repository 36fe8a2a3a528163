import { err, ok, type Result } from '../domain/base/result.ts';
import { explain } from '../domain/explain/explain.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { Action, SubjectKind, Subjects } from '../engine/actions/action.ts';
import { type Performed, performAction } from '../engine/actions/perform.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { ServedRepository, Site } from './site.ts';

export type Accepted = { readonly run: string; readonly accepted: true; readonly seq: number };

/** Performs an action for the caller of a route, once for each key, and waits for the coordinator's answer. */
export async function performFor<Kind extends SubjectKind, Input>(
  site: Site,
  { id, repo }: ServedRepository,
  asked: { readonly action: Action<Kind, Input>; readonly subject: Subjects[Kind]; readonly input: Input },
): Promise<Result<Accepted, Problem>> {
  const { run } = asked.subject;
  const { key } = site;
  return await oneAtATime(`${id} ${run} ${key ?? ''}`, key !== null, async () =>
    answerTo(run, await performAction(repo, { ...asked, caller: siteCaller(site), key })),
  );
}

/** A token of the role `approve` is a person's. */
export const siteCaller = ({ caller: { role, by } }: Pick<Site, 'caller'>) => ({ mayDecide: role === 'approve', by });

function answerTo(run: string, performed: Performed): Result<Accepted, Problem> {
  switch (performed.outcome) {
    case 'accepted':
      return ok({ run, accepted: true, seq: performed.seq });
    case 'not-allowed':
      return err(notAllowed);
    case 'misuse':
      return err(misuseProblem(performed));
    case 'key-reused':
      return err(otherRequest);
    case 'moot':
      return err(problem(409, 'refused', explain(performed.because).detail, { next: `tidegate why ${run}` }));
    case 'refused':
      return err(refusal(run, performed.because));
    case 'halted':
      return err(
        problem(503, 'halted', `halted: ${explain(performed.because).detail}`, { next: `tidegate resume ${run}` }),
      );
    case 'no-answer':
      return err(
        problem(503, 'no-answer', 'no coordinator answers; the request is recorded', {
          next: `tidegate resume ${run}`,
        }),
      );
  }
}

function refusal(run: string, because: Finding): Problem {
  const { detail, fix } = explain(because);
  return problem(409, 'refused', detail, { next: fix ?? `tidegate why ${run}` });
}

function misuseProblem({ reason, because, field }: Performed & { readonly outcome: 'misuse' }): Problem {
  const { detail: message } = explain(because);
  if (reason === 'same-plan') return problem(409, reason, message);
  if (reason === 'other-plan')
    return problem(409, reason, message, { field: 'body.hash', next: 'look at the plan again' });
  return problem(422, reason, message, { field: field === undefined ? 'body' : `body.${field}` });
}

export const notAllowed = problem(403, 'wrong-role', 'only a person may do this', {
  next: 'use a token of the role approve',
});

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
