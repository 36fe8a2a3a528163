import { attemptId, type TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { plannedIn } from '../../domain/derived/derived-tasks.ts';
import { mergedSnapshot } from '../../domain/derived/left-out.ts';
import { explainVerdict } from '../../domain/explain/explain.ts';
import { directiveText } from '../../domain/explain/text.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { handoffOf, verdictsOf } from '../../domain/run/task.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { taskRoutes } from '../../protocol/routes/runs.ts';
import { endingDocument, handoffDocument, runDocument } from '../../view/document.ts';
import { judgeFiles } from '../../view/task-view.ts';
import { whyTask } from '../../view/why.ts';
import { findTask, type SiteTask, whyContext } from '../find.ts';
import type { Handlers, Site } from '../site.ts';

export const taskHandlers: Handlers<typeof taskRoutes> = {
  task: ofTask(documentOf),
  whyTask: ofTask(async (found) => ok(whyTask(found.view, found.task.id, await whyContext(found)))),
  diff: ofTask(async ({ state, task, repository }) => {
    const snapshot = mergedSnapshot(state, task);
    if (snapshot === null) return err(problem(404, 'no-snapshot', `${state.run}/${task.id} has no snapshot yet`));
    const patch = await repository.repo.patches.text(snapshot.base, snapshot.commit, []);
    const files = judgeFiles(state, task, snapshot).map((entry) => ({ ...entry }));
    return ok({ task: task.id, base: snapshot.base, snapshot: snapshot.commit, files, patch });
  }),
  attempts: ofTask(({ stored, task }) => ok({ items: attemptsOf(stored, task.id) })),
  attempt: ofTask((found, { params }) => {
    const attempt = attemptsOf(found.stored, found.task.id).find(({ number }) => number === params.attempt);
    return attempt === undefined ? err(noAttempt(found, params.attempt)) : ok(attempt);
  }),
  log: ofTask((found, { params }) => contentOf(found, params.attempt, 'log')),
  transcript: ofTask((found, { params }) => contentOf(found, params.attempt, 'transcript')),
  prompt: ofTask((found, { params }) => contentOf(found, params.attempt, 'prompt')),
};

type OfTask = {
  readonly params: { readonly repository: string; readonly run: string; readonly task: string };
  readonly query: { readonly at?: number | undefined };
};

/** Returns a handler that shows something of the task of the path. */
function ofTask<Input extends OfTask, Document>(
  show: (task: SiteTask, input: Input) => Result<Document, Problem> | Promise<Result<Document, Problem>>,
) {
  return async (input: Input, site: Site): Promise<Result<Document, Problem>> => {
    const task = await findTask(site, input.params, input.query.at);
    return task.ok ? await show(task.value, input) : task;
  };
}

function documentOf({ view, state, task }: SiteTask) {
  const planned = plannedIn(state, task.id);
  const summary = runDocument(view)
    .waves.flatMap(({ tasks }) => tasks)
    .find(({ id }) => id === task.id);
  if (planned === undefined || summary === undefined)
    return err(problem(410, 'not-planned', `${state.run}/${task.id} is no longer in the plan`));
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
  found: SiteTask,
  attempt: number,
  kind: 'log' | 'transcript' | 'prompt',
): Promise<Result<Content, Problem>> {
  const { state, task, repository } = found;
  // the name of the file comes from the ledger, never from the path of the request
  if (attempt > task.launches) return err(noAttempt(found, attempt));
  const job = attemptId(state.run, task.id, attempt);
  const content = await repository.repo.files.content(job, kind);
  return content === null ? err(problem(404, `no-${kind}`, `${job} has no ${kind}, or it was removed`)) : ok(content);
}

const noAttempt = ({ state, task }: SiteTask, number: number): Problem =>
  problem(404, 'unknown-attempt', `${state.run}/${task.id} has no attempt ${number}`, { field: 'params.attempt' });

/** Returns every launch of an agent on a task, from the events of its run. */
function attemptsOf(stored: readonly Stored[], task: TaskId) {
  const mine = stored.flatMap(({ at, event }) => ('task' in event && event.task === task ? [{ at, event }] : []));
  return mine.flatMap(({ at: began, event }) => {
    if (event.type !== 'attempt-intended') return [];
    const { attempt, number, agent, base, from } = event;
    const started = mine.find((other) => other.event.type === 'attempt-started' && other.event.attempt === attempt);
    const ended = mine.find((other) => other.event.type === 'attempt-ended' && other.event.attempt === attempt);
    const times = { began, started: started?.at ?? null, ended: ended?.at ?? null };
    return [{ attempt, number, agent, base, from, ...times, ...endOf(ended?.event) }];
  });
}

function endOf(event: Stored['event'] | undefined) {
  if (event?.type !== 'attempt-ended') return notEnded;
  const { ending, handoff, snapshot, refusals = [], reminded, log } = event satisfies RunEvent;
  return {
    ending: endingDocument(ending),
    handoff: handoffDocument(handoff),
    snapshot: snapshot?.commit ?? null,
    usage: event.agent?.usage ?? null,
    refusals,
    reminded,
    log: { bytes: log.bytes, sha256: log.sha256 },
  };
}

const notEnded = { ending: null, handoff: null, snapshot: null, usage: null, refusals: [], reminded: false, log: null };
