import { attemptId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { directiveText } from '../../domain/explain/clauses.ts';
import { explainVerdict } from '../../domain/explain/explain.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { handoffOf, snapshotOf, verdictsOf } from '../../domain/run/task.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { taskRoutes } from '../../protocol/routes/tasks.ts';
import { runDocument } from '../../view/document.ts';
import { judgeFiles } from '../../view/task-view.ts';
import { whyTask } from '../../view/why.ts';
import { attemptsOf } from '../attempts.ts';
import { aroundOf, type FoundTask, taskAt } from '../found.ts';
import type { Handlers, Site } from '../site.ts';

export const taskHandlers: Handlers<typeof taskRoutes> = {
  task: async ({ params, query }, site) => {
    const found = await taskAt(site, params, query.at);
    return found.ok ? documentOf(found.value) : found;
  },
  whyTask: async ({ params, query }, site) => {
    const found = await taskAt(site, params, query.at);
    return found.ok ? ok(whyTask(found.value.view, found.value.task.id, await aroundOf(found.value))) : found;
  },
  diff: async ({ params, query }, site) => {
    const found = await taskAt(site, params, query.at);
    if (!found.ok) return found;
    const { state, task, repository } = found.value;
    const snapshot = snapshotOf(task);
    if (snapshot === null)
      return err(problem(404, 'no-snapshot', `no snapshot of ${state.run}/${task.id} was taken yet`));
    const patch = await repository.repo.patches.text(snapshot.base, snapshot.commit, []);
    const files = judgeFiles(state, task, snapshot).map((entry) => ({ ...entry }));
    return ok({ task: task.id, base: snapshot.base, snapshot: snapshot.commit, files, patch });
  },
  attempts: async ({ params, query }, site) => {
    const found = await taskAt(site, params, query.at);
    return found.ok ? ok({ items: attemptsOf(found.value.stored, found.value.task.id) }) : found;
  },
  attempt: async ({ params, query }, site) => {
    const found = await taskAt(site, params, query.at);
    if (!found.ok) return found;
    const attempt = attemptsOf(found.value.stored, found.value.task.id).find(({ number }) => number === params.attempt);
    return attempt === undefined ? err(noAttempt(found.value, params.attempt)) : ok(attempt);
  },
  log: async ({ params }, site) => await contentOf(site, params, 'log'),
  transcript: async ({ params }, site) => await contentOf(site, params, 'transcript'),
  prompt: async ({ params }, site) => await contentOf(site, params, 'prompt'),
};

function documentOf({ view, state, task }: FoundTask) {
  const planned = plannedById(state.plan, task.id);
  const summary = runDocument(view)
    .waves.flatMap(({ tasks }) => tasks)
    .find(({ id }) => id === task.id);
  if (planned === undefined || summary === undefined)
    return err(problem(410, 'not-planned', `${state.run}/${task.id} is not in the plan any more`));
  const { dispatched, monitored } = verdictsOf(task);
  return ok({
    ...summary,
    run: state.run,
    wave: task.wave,
    readOnly: task.readOnly,
    role: planned.role,
    agents: planned.agent,
    directive: directiveText(planned.directive, state.plan.forbid),
    handoff: handoffOf(task),
    dispatched: dispatched?.map(explainVerdict) ?? null,
    monitored: monitored?.map(explainVerdict) ?? null,
  });
}

async function contentOf(
  site: Site,
  params: { readonly repository: string; readonly run: string; readonly task: string; readonly attempt: number },
  what: 'log' | 'transcript' | 'prompt',
): Promise<Result<Content, Problem>> {
  const found = await taskAt(site, params);
  if (!found.ok) return found;
  const { state, task, repository } = found.value;
  // the name of the file is made from what the ledger has, never from the path of the request
  if (params.attempt > task.launches) return err(noAttempt(found.value, params.attempt));
  const job = attemptId(state.run, task.id, params.attempt);
  const content = await repository.repo.files.content(job, what);
  return content === null
    ? err(problem(404, `no-${what}`, `${job} has no ${what} here, or not any more`))
    : ok(content);
}

const noAttempt = ({ state, task }: FoundTask, number: number): Problem =>
  problem(404, 'unknown-attempt', `${state.run}/${task.id} has no attempt ${number}`, { field: 'params.attempt' });
