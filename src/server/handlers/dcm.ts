import { randomBytes } from 'node:crypto';
import { present } from '../../domain/base/present.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ExternalCommand, SubtaskChange } from '../../domain/external/command.ts';
import { sessionWave } from '../../domain/external/counts.ts';
import { idFrom } from '../../domain/external/ids.ts';
import { own, type Session, subtaskOf } from '../../domain/external/session.ts';
import { batchConflicts, synthesisOf } from '../../domain/external/synthesis.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { Given } from '../../protocol/route.ts';
import type { dcmRoutes } from '../../protocol/routes/dcm.ts';
import { askSession } from '../ask-session.ts';
import {
  batchShown,
  conflictShown,
  submittedShown,
  subtaskShown,
  synthesisShown,
  waveShown,
} from '../dcm-documents.ts';
import { batchAt, noBatch, noSubtask, repositoryMeant, sessionAt, type Where } from '../dcm-found.ts';
import type { Handlers, Site } from '../site.ts';

export const dcmHandlers: Handlers<typeof dcmRoutes> = {
  submitBatch: async ({ query, body }, site) => {
    const repository = await repositoryMeant(site, query);
    if (!repository.ok) return repository;
    const command = orderOf(body, nonceOf(site, body.session_id));
    const asked = await askSession(site, repository.value, body.session_id, command);
    if (!asked.ok) return asked;
    const batch = own(asked.value.batches, command.batch);
    return batch === undefined
      ? err(noBatch(command.batch))
      : ok({ success: true, batch: submittedShown(asked.value, batch) });
  },
  batch: async ({ params, query }, site) => {
    const found = await batchAt(site, query, params.batch);
    return found.ok ? ok({ batch: batchShown(found.value.session, found.value.batch) }) : found;
  },
  completeBatch: async ({ params, query, body }, site) => {
    const found = await batchAt(site, query, params.batch);
    if (!found.ok) return found;
    const { repository, session, batch } = found.value;
    const command = { type: 'complete-batch', batch: batch.id, failUnfinished: body.fail_unfinished } as const;
    const asked = await askSession(site, repository, session.session, command);
    return asked.ok
      ? synthesisAt(asked.value, batch.id, (synthesis) => ({ success: true as const, synthesis }))
      : asked;
  },
  synthesis: async ({ params, query }, site) => {
    const found = await batchAt(site, query, params.batch);
    return found.ok ? synthesisAt(found.value.session, params.batch, (synthesis) => synthesis) : found;
  },
  batchConflicts: async ({ params, query }, site) => {
    const found = await batchAt(site, query, params.batch);
    if (!found.ok) return found;
    const conflicts = batchConflicts(found.value.session, found.value.batch).map(conflictShown);
    return ok({ batch_id: found.value.batch.id, conflicts, conflict_count: conflicts.length });
  },
  createWave: async ({ params, query, body }, site) => {
    const { wave_number: wave, name = null, description = null } = body;
    return await changedWave(site, query, params.session, { type: 'create-wave', wave, name, description }, () => wave);
  },
  startWave: async ({ params, query, body }, site) => {
    const { wave_number: wave } = body;
    return await changedWave(site, query, params.session, { type: 'start-wave', wave }, () => wave);
  },
  transition: async ({ params, query }, site) =>
    await changedWave(
      site,
      query,
      params.session,
      { type: 'transition' },
      ({ waves }) => waves.findLast(({ status }) => status !== 'pending')?.number,
    ),
  currentWave: async ({ params, query }, site) => {
    const session = await sessionAt(site, query, params.session);
    if (!session.ok) return session;
    const wave = sessionWave(session.value);
    return wave === undefined
      ? err(problem(404, 'no-wave', `no wave of ${params.session} is running or pending`))
      : ok({ wave: waveShown(session.value, wave) });
  },
  waveHistory: async ({ params, query }, site) => {
    const session = await sessionAt(site, query, params.session);
    if (!session.ok) return session;
    const waves = session.value.waves.map((wave) => waveShown(session.value, wave));
    return ok({ waves, count: waves.length });
  },
  updateSubtask: async ({ params, query, body }, site) => {
    const repository = await repositoryMeant(site, query);
    if (!repository.ok) return repository;
    const session = await repository.value.sessions.ofSubtask(params.subtask);
    if (session === undefined) return err(noSubtask(params.subtask));
    const command = { type: 'update-subtask', subtask: params.subtask, ...changeOf(body) } as const;
    const asked = await askSession(site, repository.value, session, command);
    if (!asked.ok) return asked;
    const subtask = subtaskOf(asked.value, params.subtask);
    return subtask === undefined
      ? err(noSubtask(params.subtask))
      : ok({ success: true, subtask: subtaskShown(subtask) });
  },
  recordAction: async ({ query, body }, site) => {
    const repository = await repositoryMeant(site, query);
    if (!repository.ok) return repository;
    const { sessions } = repository.value;
    const subtask = body.subtask_id ?? null;
    const session = body.session_id ?? (await sessions.ofSubtask(subtask ?? ''));
    if (session === undefined) return err(noSubtask(subtask ?? ''));
    const report = {
      subtask,
      tool: body.tool_name,
      toolType: body.tool_type,
      exitCode: body.exit_code,
      durationMs: body.duration_ms ?? null,
      files: body.file_paths,
    };
    const action = idFrom('action', nonceOf(site, session));
    const asked = await askSession(site, repository.value, session, { type: 'record-action', action, ...report });
    if (!asked.ok) return asked;
    return ok({
      success: true,
      action: {
        id: action,
        session_id: session,
        subtask_id: subtask,
        tool_name: report.tool,
        tool_type: report.toolType,
        exit_code: report.exitCode,
        duration_ms: report.durationMs,
      },
    });
  },
};

async function changedWave(
  site: Site,
  where: Where,
  session: string,
  command: ExternalCommand,
  numberIn: (state: Session) => number | undefined,
) {
  const repository = await repositoryMeant(site, where);
  if (!repository.ok) return repository;
  const asked = await askSession(site, repository.value, session, command);
  if (!asked.ok) return asked;
  const number = numberIn(asked.value);
  const wave = asked.value.waves.find((one) => one.number === number);
  return wave === undefined
    ? err(problem(404, 'unknown-wave', `there is no wave ${number}`))
    : ok({ success: true as const, wave: waveShown(asked.value, wave) });
}

type Shown = ReturnType<typeof synthesisShown>;

function synthesisAt<T>(session: Session, id: string, shown: (synthesis: Shown) => T): Result<T, Problem> {
  const batch = own(session.batches, id);
  const synthesis = batch === undefined ? null : synthesisOf(session, batch);
  return synthesis === null
    ? err(
        problem(404, 'no-synthesis', `the batch ${id} is not completed`, {
          next: `POST /api/orchestration/batch/${id}/complete`,
        }),
      )
    : ok(shown(synthesisShown(synthesis)));
}

/** Ids follow from the key where there is one: the same order under the same key is the same batch. */
const nonceOf = ({ key }: Site, session: string): string =>
  key === null ? randomBytes(16).toString('hex') : `${session} ${key}`;

function orderOf({ tasks, wave_number }: Given<typeof dcmRoutes.submitBatch>['body'], nonce: string) {
  return {
    type: 'submit-batch',
    batch: idFrom('batch', nonce),
    wave: wave_number,
    subtasks: tasks.map((task, at) => ({
      id: idFrom('subtask', nonce, at),
      taskId: task.task_id,
      agentType: task.agent_type,
      agentId: task.agent_id ?? null,
      description: task.description,
      priority: task.priority,
      blockedBy: task.blocked_by,
      context: task.context_snapshot ?? null,
    })),
  } as const satisfies ExternalCommand;
}

function changeOf(body: Given<typeof dcmRoutes.updateSubtask>['body']): SubtaskChange {
  return {
    ...present({
      status: body.status,
      result: body.result,
      agentId: body.agent_id,
      priority: body.priority,
      blockedBy: body.blocked_by,
      context: body.context_snapshot,
    }),
  };
}
