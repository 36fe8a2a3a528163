import { err, ok, type Result } from '../domain/base/result.ts';
import { explain } from '../domain/explain/explain.ts';
import { theRepository } from '../domain/repository/repository.ts';
import type { Action, SubjectKind, Subjects } from '../engine/actions/action.ts';
import { actions } from '../engine/actions/actions.ts';
import { orderAction, type Performed, performAction } from '../engine/actions/perform.ts';
import { readRepository } from '../engine/orders/find-run.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import { findRepositoryAt, findRun, findTask, type SiteRun } from './find.ts';
import type { ServedRepository, Site } from './site.ts';

/** The actions that each route performs, by the id of the route. */
export const routeActions = {
  order: [orderAction],
  approve: [actions.approve],
  reject: [actions.reject],
  hold: [actions.hold],
  pause: [actions.pause],
  resume: [actions.resume],
  replan: [actions.replan],
  stop: [actions.stop],
  abandon: [actions.abandon],
  land: [actions.land],
  undo: [actions.undo],
  raise: [actions.raise],
  grant: [actions.grant],
  drop: [actions.drop],
  discard: [actions.discard],
  retry: [actions.retry, actions['switch-agent']],
  relaunch: [actions.relaunch],
  rework: [actions.rework],
  accept: [actions.accept],
  send: [actions.send],
  raiseTask: [actions.raise],
  undoTask: [actions.undo],
  post: [actions.post],
  answerRecord: [actions.answer],
  actOnRecord: [actions.record],
  resolve: [actions.resolve],
  prove: [actions.prove],
  revokeProof: [actions['revoke-proof']],
  addDependency: [actions['add-dependency']],
  endDependency: [actions['end-dependency']],
  postAbove: [actions['post-above']],
  answerRecordAbove: [actions['answer-above']],
  actOnRecordAbove: [actions['record-above']],
  addBranchDependency: [actions['add-branch-dependency']],
  endBranchDependency: [actions['end-branch-dependency']],
} as const;

type RunParams = { readonly repository: string; readonly run: string };
type TaskParams = RunParams & { readonly task: string };
type ActionHandler<Params, Body> = (
  input: { readonly params: Params; readonly body: Body },
  site: Site,
) => Promise<Result<AcceptedRequest, Problem>>;
type AcceptedRequest = { readonly run: string; readonly accepted: true; readonly seq: number };

/** Returns a handler that performs an action on the run of the path. The body is its input. */
export const onRun =
  <Input>([action]: readonly [Action<'run', Input>]): ActionHandler<RunParams, Input> =>
  async ({ params, body }, site) => {
    const run = await findRun(site, params);
    return run.ok
      ? await performFor(site, run.value.repository, { action, subject: routeSubject(run.value), input: body })
      : run;
  };

/** The same on the run as a whole, for an action that also takes one task of it. */
export const onWholeRun =
  <Input>([action]: readonly [Action<'part', Input>]): ActionHandler<RunParams, Input> =>
  async ({ params, body }, site) => {
    const run = await findRun(site, params);
    if (!run.ok) return run;
    const subject = { ...routeSubject(run.value), task: null };
    return await performFor(site, run.value.repository, { action, subject, input: body });
  };

/** The same on the task of the path. */
export const onTask =
  <Input>([action]: readonly [Action<'task', Input> | Action<'part', Input>]): ActionHandler<TaskParams, Input> =>
  async ({ params, body }, site) => {
    const found = await findTask(site, params);
    if (!found.ok) return found;
    const subject = { ...routeSubject(found.value), task: found.value.task.id };
    return await performFor(site, found.value.repository, { action, subject, input: body });
  };

/** The same on the repository of the path. */
export const onRepository =
  <Input>([action]: readonly [Action<'repository', Input>]): ActionHandler<{ readonly repository: string }, Input> =>
  async ({ params, body }, site) => {
    const found = await findRepositoryAt(site, params.repository);
    if (!found.ok) return found;
    const subject = { run: theRepository, repository: await readRepository(found.value.repo.ledger) };
    return await performFor(site, found.value, { action, subject, input: body });
  };

export const routeSubject = ({ state }: SiteRun): Subjects['run'] => ({ run: state.run, state });

/** Performs an action for the caller of a route, once for each key, and waits for the coordinator's answer. */
export async function performFor<Kind extends SubjectKind, Input>(
  site: Site,
  { id, repo }: ServedRepository,
  request: { readonly action: Action<Kind, Input>; readonly subject: Subjects[Kind]; readonly input: Input },
): Promise<Result<AcceptedRequest, Problem>> {
  const { run } = request.subject;
  const { key } = site;
  return await oneAtATime(`${id} ${run} ${key ?? ''}`, key !== null, async () =>
    answerTo(run, await performAction(repo, { ...request, caller: siteCaller(site), key })),
  );
}

/** A token of the role `approve` is a person's. */
export const siteCaller = ({ caller: { role, by } }: Pick<Site, 'caller'>) => ({ mayDecide: role === 'approve', by });

function answerTo(run: string, performed: Performed): Result<AcceptedRequest, Problem> {
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
    case 'refused': {
      const { detail, fix } = explain(performed.because);
      const look = run === theRepository ? 'tidegate board --repository' : `tidegate why ${run}`;
      return err(problem(409, 'refused', detail, { next: fix ?? look }));
    }
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

function misuseProblem({ reason, because, field }: Performed & { readonly outcome: 'misuse' }): Problem {
  const { detail: message } = explain(because);
  if (reason === 'same-plan') return problem(409, reason, message);
  if (reason === 'other-plan')
    return problem(409, reason, message, { field: 'body.hash', next: 'read the plan again' });
  return problem(422, reason, message, { field: field === undefined ? 'body' : `body.${field}` });
}

export const notAllowed = problem(403, 'wrong-role', 'only a person may do this', {
  next: 'use a token of the role approve',
});

export const otherRequest = problem(422, 'key-reused', 'this Idempotency-Key was used for a different request', {
  field: 'headers.idempotency-key',
  next: 'use a new key for a new request',
});

const pending = new Map<string, Promise<unknown>>();

/** Requests with one key that arrive together are handled one after the other. */
export async function oneAtATime<T>(name: string, isKeyed: boolean, body: () => Promise<T>): Promise<T> {
  if (!isKeyed) return await body();
  const before = pending.get(name) ?? Promise.resolve();
  const mine = before.then(body, body);
  pending.set(name, mine);
  try {
    return await mine;
  } finally {
    if (pending.get(name) === mine) pending.delete(name);
  }
}
