import { randomBytes } from 'node:crypto';
import { err, ok, present, type Result } from '../domain/base/result.ts';
import { explain } from '../domain/explain/explain.ts';
import type { By } from '../domain/ledger/requests.ts';
import { type Problem, type ProblemStatus, problem } from '../protocol/problem.ts';
import type { Answer, RouteInput } from '../protocol/route.ts';
import type { DcmCommand, DcmSubtaskChange } from './decide.ts';
import { type DcmRefusal, idFrom } from './decide.ts';
import { showBatch, showSubmittedBatch, showSubtask, showWave } from './documents.ts';
import type { dcmRoutes } from './routes.ts';
import { currentDcmWave, type DcmBatch, type DcmSession, dcmWaveOf, own, subtaskOf } from './session.ts';
import type { DcmSessions } from './sessions.ts';
import { batchConflicts, synthesisOf } from './synthesis.ts';

/** The sessions of the repository that a request is about, and who sent it under which Idempotency-Key. */
export type DcmContext = { readonly sessions: DcmSessions; readonly by: By; readonly key: string | null };

/** `at`: as of that event of the ledger. */
type Query = { readonly repository?: string | undefined; readonly at?: number | undefined };

type Routes = typeof dcmRoutes;
type DcmHandlers<Site> = {
  readonly [Id in keyof Routes]: (
    input: RouteInput<Routes[Id]>,
    site: Site,
  ) => Promise<Result<Answer<Routes[Id]>, Problem>>;
};

/** Returns a handler for every route. `contextOf` finds the repository that the query names. */
export function dcmHandlers<Site>(
  contextOf: (site: Site, query: Query) => Promise<Result<DcmContext, Problem>>,
): DcmHandlers<Site> {
  const within =
    <Input extends { readonly query: Query }, Document>(
      handle: (input: Input, context: DcmContext) => Promise<Result<Document, Problem>>,
    ) =>
    async (input: Input, site: Site): Promise<Result<Document, Problem>> => {
      const context = await contextOf(site, input.query);
      return context.ok ? await handle(input, context.value) : context;
    };
  return {
    submitBatch: within(async ({ body }, context) => {
      const command = submitCommand(body, nonceOf(context, body.session_id));
      const session = await change(context, body.session_id, command);
      if (!session.ok) return session;
      const batch = own(session.value.batches, command.batch);
      return batch === undefined
        ? unknownBatch(command.batch)
        : ok({ success: true, batch: showSubmittedBatch(session.value, batch) });
    }),
    batch: within(async ({ params, query }, context) => {
      const found = await findBatch(context, params.batch, query.at);
      return found.ok ? ok({ batch: showBatch(found.value.session, found.value.batch) }) : found;
    }),
    completeBatch: within(async ({ params, body }, context) => {
      const found = await findBatch(context, params.batch);
      if (!found.ok) return found;
      const command = { type: 'complete-batch', batch: params.batch, failUnfinished: body.fail_unfinished } as const;
      const session = await change(context, found.value.session.session, command);
      if (!session.ok) return session;
      const synthesis = synthesisIn(session.value, params.batch);
      return synthesis.ok ? ok({ success: true, synthesis: synthesis.value }) : synthesis;
    }),
    synthesis: within(async ({ params, query }, context) => {
      const found = await findBatch(context, params.batch, query.at);
      return found.ok ? synthesisIn(found.value.session, params.batch) : found;
    }),
    batchConflicts: within(async ({ params, query }, context) => {
      const found = await findBatch(context, params.batch, query.at);
      if (!found.ok) return found;
      const conflicts = batchConflicts(found.value.session, found.value.batch);
      return ok({ batch_id: params.batch, conflicts, conflict_count: conflicts.length });
    }),
    createWave: within(async ({ params, body }, context) => {
      const { wave_number: wave, name = null, description = null } = body;
      return await changeWave(context, params.session, { type: 'create-wave', wave, name, description }, () => wave);
    }),
    startWave: within(async ({ params, body: { wave_number: wave } }, context) =>
      changeWave(context, params.session, { type: 'start-wave', wave }, () => wave),
    ),
    transition: within(async ({ params }, context) =>
      changeWave(
        context,
        params.session,
        { type: 'transition' },
        ({ waves }) => waves.findLast(({ status }) => status !== 'pending')?.number ?? 0,
      ),
    ),
    currentWave: within(async ({ params, query }, { sessions }) => {
      const session = await sessions.session(params.session, query.at);
      const wave = currentDcmWave(session);
      return wave === undefined
        ? err(problem(404, 'no-wave', `no wave of ${params.session} is running or pending`))
        : ok({ wave: showWave(session, wave) });
    }),
    waveHistory: within(async ({ params, query }, { sessions }) => {
      const session = await sessions.session(params.session, query.at);
      const waves = session.waves.map((wave) => showWave(session, wave));
      return ok({ waves, count: waves.length });
    }),
    updateSubtask: within(async ({ params, body }, context) => {
      const id = await context.sessions.ofSubtask(params.subtask);
      if (id === undefined) return unknownSubtask(params.subtask);
      const command = { type: 'update-subtask', subtask: params.subtask, ...changeOf(body) } as const;
      const session = await change(context, id, command);
      if (!session.ok) return session;
      const subtask = subtaskOf(session.value, params.subtask);
      return subtask === undefined
        ? unknownSubtask(params.subtask)
        : ok({ success: true, subtask: showSubtask(subtask) });
    }),
    recordAction: within(async ({ body }, context) => {
      const subtask = body.subtask_id ?? null;
      const id = body.session_id ?? (await context.sessions.ofSubtask(subtask ?? ''));
      if (id === undefined) return unknownSubtask(subtask ?? '');
      const action = idFrom('action', nonceOf(context, id));
      const { tool_name, tool_type, exit_code, duration_ms = null } = body;
      const session = await change(context, id, {
        type: 'record-action',
        action,
        subtask,
        tool: tool_name,
        toolType: tool_type,
        exitCode: exit_code,
        durationMs: duration_ms,
        files: body.file_paths,
      });
      if (!session.ok) return session;
      const report = { session_id: id, subtask_id: subtask, tool_name, tool_type, exit_code, duration_ms };
      return ok({ success: true, action: { id: action, ...report } });
    }),
  };
}

async function findBatch(
  { sessions }: DcmContext,
  id: string,
  at?: number,
): Promise<Result<{ readonly session: DcmSession; readonly batch: DcmBatch }, Problem>> {
  const name = await sessions.ofBatch(id);
  if (name === undefined) return unknownBatch(id);
  const session = await sessions.session(name, at);
  const batch = own(session.batches, id);
  return batch === undefined ? unknownBatch(id) : ok({ session, batch });
}

/** Returns the session right after the command. */
async function change(
  { sessions, by, key }: DcmContext,
  session: string,
  command: DcmCommand,
): Promise<Result<DcmSession, Problem>> {
  const answer = await sessions.request(session, { command, by, ...(key === null ? {} : { key }) });
  return answer.ok ? answer : refuse(answer.error);
}

async function changeWave(
  context: DcmContext,
  id: string,
  command: DcmCommand,
  numberIn: (session: DcmSession) => number,
) {
  const session = await change(context, id, command);
  if (!session.ok) return session;
  const number = numberIn(session.value);
  const wave = dcmWaveOf(session.value, number);
  return wave === undefined
    ? refuse({ rule: 'session-unknown-wave', wave: number })
    : ok({ success: true as const, wave: showWave(session.value, wave) });
}

function synthesisIn(session: DcmSession, id: string) {
  const batch = own(session.batches, id);
  const synthesis = batch === undefined ? null : synthesisOf(session, batch);
  return synthesis === null
    ? err(
        problem(404, 'no-synthesis', `the batch ${id} is not completed`, {
          next: `POST /api/orchestration/batch/${id}/complete`,
        }),
      )
    : ok(synthesis);
}

/** Ids follow from the key where there is one: the same request under the same key is the same batch. */
const nonceOf = ({ key }: DcmContext, session: string): string =>
  key === null ? randomBytes(16).toString('hex') : `${session} ${key}`;

function submitCommand({ tasks, wave_number }: RouteInput<Routes['submitBatch']>['body'], nonce: string) {
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
  } as const satisfies DcmCommand;
}

const changeOf = (body: RouteInput<Routes['updateSubtask']>['body']): DcmSubtaskChange =>
  present({
    status: body.status,
    result: body.result,
    agentId: body.agent_id,
    priority: body.priority,
    blockedBy: body.blocked_by,
    context: body.context_snapshot,
  });

function refuse(refusal: DcmRefusal): Result<never, Problem> {
  const { detail, fix } = explain(refusal);
  const code = refusal.rule.slice('session-'.length);
  return err(problem(statuses[refusal.rule] ?? 409, code, detail, fix === undefined ? {} : { next: fix }));
}

const unknownBatch = (batch: string) => refuse({ rule: 'session-unknown-batch', batch });
const unknownSubtask = (subtask: string) => refuse({ rule: 'session-unknown-subtask', subtask });

const statuses: Readonly<Partial<Record<DcmRefusal['rule'], ProblemStatus>>> = {
  'session-unknown-wave': 404,
  'session-unknown-batch': 404,
  'session-unknown-subtask': 404,
  'session-bad-blocker': 422,
  'session-cycle': 422,
  'session-secret': 422,
  'session-key-reused': 422,
};
