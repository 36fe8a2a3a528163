import type { Result } from '../domain/base/result.ts';
import type { Action, Subjects } from '../engine/actions/action.ts';
import type { Problem } from '../protocol/problem.ts';
import { type FoundRun, type FoundTask, runAt, taskAt } from './found.ts';
import { type Accepted, performFor } from './perform-for.ts';
import type { Site } from './site.ts';

type RunParams = { readonly repository: string; readonly run: string };
type TaskParams = RunParams & { readonly task: string };
type Given<Params, Body> = { readonly params: Params; readonly body: Body };
type Answering<Params, Body> = (given: Given<Params, Body>, site: Site) => Promise<Result<Accepted, Problem>>;

/** Returns a handler that performs an action on the run of the path. The body is its input. */
export const onRun =
  <Input>([action]: readonly [Action<'run', Input>]): Answering<RunParams, Input> =>
  async ({ params, body }, site) => {
    const found = await runAt(site, params);
    return found.ok
      ? await performFor(site, found.value.repository, { action, subject: routeSubject(found.value), input: body })
      : found;
  };

/** The same on the run as a whole, for an action that also takes one task of it. */
export const onWholeRun =
  <Input>([action]: readonly [Action<'part', Input>]): Answering<RunParams, Input> =>
  async ({ params, body }, site) => {
    const found = await runAt(site, params);
    if (!found.ok) return found;
    const subject = { ...routeSubject(found.value), task: null };
    return await performFor(site, found.value.repository, { action, subject, input: body });
  };

/** The same on the task of the path. */
export const onTask =
  <Input>([action]: readonly [Action<'task', Input> | Action<'part', Input>]): Answering<TaskParams, Input> =>
  async ({ params, body }, site) => {
    const found = await taskAt(site, params);
    return found.ok
      ? await performFor(site, found.value.repository, { action, subject: taskSubject(found.value), input: body })
      : found;
  };

export const routeSubject = ({ state }: FoundRun): Subjects['run'] => ({ run: state.run, state });
const taskSubject = (found: FoundTask): Subjects['task'] => ({ ...routeSubject(found), task: found.task.id });
