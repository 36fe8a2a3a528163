import { firstTap, undecidedTap } from '../../domain/answer-in-line.ts';
import type { By, RequestEvent } from '../../domain/events.ts';
import { explain } from '../../domain/explain/explain.ts';
import { chooseTasks } from '../../domain/land-some.ts';
import { parsePattern } from '../../domain/pattern.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { RunState } from '../../domain/run.ts';
import { prepareReplan, replanRequest } from '../../engine/replan-run.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { commandRoutes } from '../../protocol/routes/commands.ts';
import { type Accepted, command } from '../command.ts';
import { type FoundRun, type FoundTask, runAt, taskAt } from '../found.ts';
import { dryRun, lint, order, problemOf } from '../plans.ts';
import type { Handlers, Site } from '../site.ts';

type RunParams = { readonly repository: string; readonly run: string };
type TaskParams = RunParams & { readonly task: string };

export const commandHandlers: Handlers<typeof commandRoutes> = {
  lint,
  dryRun,
  order,
  approve: (given, site) => decide(given, site, 'requested-approve'),
  reject: (given, site) => decide(given, site, 'requested-reject'),
  hold: (given, site) => decide(given, site, 'requested-hold'),
  pause: ({ params }, site) => onRun(params, site, (by) => ok({ type: 'requested-pause', by })),
  resume: ({ params }, site) => onRun(params, site, (by) => ok({ type: 'requested-resume', by })),
  replan: ({ params }, site) => replan(params, site),
  stop: ({ params }, site) => onRun(params, site, (by) => ok({ type: 'requested-stop', by })),
  land: ({ params, body }, site) =>
    onRun(params, site, (by, { state }) => {
      if (body.only !== undefined && body.except !== undefined)
        return err(problem(422, 'invalid', 'only or except, not both', { field: 'body.except' }));
      const chosen = chooseTasks(state, body.only ?? null, body.except ?? null);
      if (!chosen.ok) return err(problem(422, 'bad-choice', explain(chosen.error).detail, { field: 'body' }));
      return ok({ type: 'requested-land', ...(chosen.value === null ? {} : { tasks: chosen.value.tasks }), by });
    }),
  undo: ({ params }, site) => onRun(params, site, (by) => ok({ type: 'requested-undo', task: null, by })),
  raise: ({ params, body }, site) =>
    onRun(params, site, (by) => ok({ type: 'requested-raise', task: null, usd: body.usd, by })),
  grant: ({ params, body: { paths } }, site) =>
    onTask(params, site, (by, { task }) => {
      const odd = badPath(paths);
      return odd === null ? ok({ type: 'requested-grant', task: task.id, paths, by }) : err(odd);
    }),
  drop: ({ params, body: { paths } }, site) =>
    onTask(params, site, (by, { task }) => {
      const odd = badPath(paths);
      return odd === null ? ok({ type: 'requested-drop', task: task.id, paths, by }) : err(odd);
    }),
  retry: ({ params, body: { agent } }, site) =>
    onTask(params, site, (by, { task }) =>
      ok({ type: 'requested-retry', task: task.id, ...(agent === undefined ? {} : { agent }), by }),
    ),
  rework: ({ params, body: { message } }, site) =>
    onTask(params, site, (by, { task }) => ok({ type: 'requested-rework', task: task.id, message, by })),
  send: ({ params, body: { message } }, site) =>
    onTask(params, site, (by, { task }) => ok({ type: 'requested-send', task: task.id, message, by })),
  raiseTask: ({ params, body: { usd } }, site) =>
    onTask(params, site, (by, { task }) => ok({ type: 'requested-raise', task: task.id, usd, by })),
  undoTask: ({ params }, site) =>
    onTask(params, site, (by, { task }) => ok({ type: 'requested-undo', task: task.id, by })),
};

type Made = Result<RequestEvent, Problem>;

async function onRun(
  params: RunParams,
  site: Site,
  make: (by: By, found: FoundRun) => Made,
): Promise<Result<Accepted, Problem>> {
  const found = await runAt(site, params);
  if (!found.ok) return found;
  const request = make(site.caller.by, found.value);
  return request.ok ? await command(site, found.value, request.value) : request;
}

async function onTask(
  params: TaskParams,
  site: Site,
  make: (by: By, found: FoundTask) => Made,
): Promise<Result<Accepted, Problem>> {
  const found = await taskAt(site, params);
  if (!found.ok) return found;
  const request = make(site.caller.by, found.value);
  return request.ok ? await command(site, found.value, request.value) : request;
}

async function replan(params: RunParams, site: Site): Promise<Result<Accepted, Problem>> {
  const found = await runAt(site, params);
  if (!found.ok) return found;
  const { repository, state } = found.value;
  const prepared = await prepareReplan(repository.desk, found.value);
  if (!prepared.ok) return err(problemOf(prepared.error));
  if (prepared.value.differences.length === 0)
    return err(problem(409, 'same-plan', `nothing changed in ${state.planFile}; ${state.run} has that plan`));
  const accepted = await command(site, found.value, replanRequest(state, prepared.value, site.caller.by));
  if (accepted.ok) await repository.desk.openRunDirectory(prepared.value.order);
  return accepted;
}

async function decide(
  { params, body }: { readonly params: RunParams; readonly body: { readonly hash: string } },
  site: Site,
  type: 'requested-approve' | 'requested-reject' | 'requested-hold',
): Promise<Result<Accepted, Problem>> {
  return await onRun(params, site, (by, { state }) => {
    if (!state.hash.startsWith(body.hash))
      return err(
        problem(409, 'other-plan', `${state.run} asks about plan ${state.hash}, not ${body.hash}`, {
          field: 'body.hash',
          next: 'look at the plan again',
        }),
      );
    return ok({ type, tap: tapOf(state), hash: state.hash, by });
  });
}

/** What is asked now; of a run that waits in line, what will be. A decision that nobody waits for is refused by the engine. */
const tapOf = (state: RunState) => undecidedTap(state) ?? firstTap(state);

function badPath(paths: readonly string[]): Problem | null {
  for (const [at, path] of paths.entries()) {
    const parsed = parsePattern(path);
    if (!parsed.ok)
      return problem(422, 'bad-path', `${JSON.stringify(path)}: ${parsed.error.detail}`, {
        field: `body.paths[${at}]`,
      });
  }
  return null;
}
