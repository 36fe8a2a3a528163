import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { dcmOf } from '../support/dcm.ts';
import { type Project, project } from '../support/project.ts';
import { type Serving, serverOf, smallPlan } from '../support/server.ts';

let scene: Project;
let server: Serving;
beforeAll(async () => {
  scene = await project({ plan: smallPlan });
  server = await serverOf(scene);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const count = expect.any(Number);

describe('the flow at the end of the document', () => {
  test('runs as written, with the token added, and every documented field is there', async () => {
    const dcm = dcmOf(server, 'session-abc');
    // 1. Create wave state
    const created = await dcm.post('/api/waves/session-abc/create', { wave_number: 1 });
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      success: true,
      wave: {
        id: uuid,
        session_id: 'session-abc',
        wave_number: 1,
        status: 'pending',
        total_tasks: 0,
        completed_tasks: 0,
        failed_tasks: 0,
        started_at: null,
        completed_at: null,
        name: null,
        description: null,
      },
    });
    // 2. Submit batch of tasks
    const submitted = await dcm.post('/api/orchestration/batch-submit', {
      session_id: 'session-abc',
      wave_number: 1,
      tasks: [
        {
          task_id: 'task-uuid-1',
          agent_type: 'backend-laravel',
          description: 'Create User CRUD endpoints',
          priority: 8,
        },
        {
          task_id: 'task-uuid-2',
          agent_type: 'frontend-react',
          description: 'Build user management UI',
          priority: 7,
        },
      ],
    });
    expect(submitted.status).toBe(201);
    expect(submitted.json).toEqual({
      success: true,
      batch: {
        id: uuid,
        session_id: 'session-abc',
        wave_number: 1,
        status: 'pending',
        total_tasks: 2,
        completed_tasks: 0,
        failed_tasks: 0,
        created_at: iso,
        subtask_ids: [uuid, uuid],
      },
    });
    const { batch } = submitted.json as { batch: { id: string; subtask_ids: [string, string] } };
    const [first, second] = batch.subtask_ids;
    // 3. Start wave
    const started = await dcm.post('/api/waves/session-abc/start', { wave_number: 1 });
    expect(started.status).toBe(200);
    expect(started.json).toMatchObject({
      success: true,
      wave: { status: 'running', total_tasks: 2, started_at: iso, completed_at: null },
    });
    // 4. Agents execute
    expect((await dcm.set(first, 'running')).status).toBe(200);
    expect((await dcm.set(second, 'running')).status).toBe(200);
    const action = { subtask_id: first, tool_name: 'Edit', tool_type: 'builtin', file_paths: ['routes/api.php'] };
    expect((await dcm.post('/api/actions', action)).json).toMatchObject({
      success: true,
      action: { id: uuid, session_id: 'session-abc', tool_name: 'Edit', tool_type: 'builtin', exit_code: 0 },
    });
    const result = { files: ['routes/api.php', 'src/types/user.ts'], summary: 'Created CRUD endpoints' };
    const done = await dcm.set(first, 'completed', result);
    expect(done.json).toMatchObject({ success: true, subtask: { id: first, status: 'completed', result } });
    expect((await dcm.batch(batch.id)).json).toEqual({
      batch: {
        id: batch.id,
        session_id: 'session-abc',
        wave_number: 1,
        status: 'running',
        total_tasks: 2,
        completed_tasks: 1,
        failed_tasks: 0,
        created_at: iso,
        subtask_ids: [first, second],
        subtasks: [
          {
            id: first,
            task_id: 'task-uuid-1',
            batch_id: batch.id,
            wave_number: 1,
            agent_type: 'backend-laravel',
            agent_id: null,
            description: 'Create User CRUD endpoints',
            status: 'completed',
            priority: 8,
            blocked_by: [],
            context_snapshot: null,
            result,
            created_at: iso,
            started_at: iso,
            completed_at: iso,
          },
          expect.objectContaining({
            id: second,
            agent_type: 'frontend-react',
            status: 'running',
            priority: 7,
            created_at: iso,
          }),
        ],
      },
    });
    await dcm.set(second, 'completed', { files: ['src/types/user.ts'], summary: 'Built the UI' });
    // 5. Complete batch and generate synthesis
    const completed = await dcm.post(`/api/orchestration/batch/${batch.id}/complete`);
    expect(completed.status).toBe(200);
    const conflict = {
      type: 'file_conflict',
      severity: 'high',
      agents: ['backend-laravel', 'frontend-react'],
      subtasks: [first, second],
      description: 'Multiple agents modified the same file: src/types/user.ts',
      files: ['src/types/user.ts'],
    };
    const synthesis = {
      summary: 'Wave 1: 2/2 tasks completed. 2 files modified, 1 conflicts.',
      results: [
        {
          agent: 'backend-laravel',
          agent_id: null,
          subtask_id: first,
          status: 'completed',
          files: ['routes/api.php', 'src/types/user.ts'],
          summary: 'Created CRUD endpoints',
          duration_ms: count,
        },
        {
          agent: 'frontend-react',
          agent_id: null,
          subtask_id: second,
          status: 'completed',
          files: ['src/types/user.ts'],
          summary: 'Built the UI',
          duration_ms: count,
        },
      ],
      conflicts: [conflict],
      files_changed: ['routes/api.php', 'src/types/user.ts'],
      next_wave_ready: true,
      tokens_saved: 1400,
      stats: {
        total_tasks: 2,
        completed: 2,
        failed: 0,
        files_modified: 2,
        avg_duration_ms: count,
        total_duration_ms: count,
      },
    };
    expect(completed.json).toEqual({ success: true, synthesis });
    expect((await dcm.synthesis(batch.id)).json).toEqual((completed.json as { synthesis: unknown }).synthesis);
    // 6. Check for conflicts
    const conflicts = await dcm.get(`/api/orchestration/conflicts/${batch.id}`);
    expect(conflicts.json).toEqual({ batch_id: batch.id, conflicts: [conflict], conflict_count: 1 });
    // 7. Transition to next wave: there is none yet, so the session stands where it stood
    expect(await dcm.transition()).toMatchObject({
      status: 200,
      json: { success: true, wave: { wave_number: 1, status: 'completed' } },
    });
    await dcm.wave('create', 2);
    expect((await dcm.current()).json).toMatchObject({ wave: { wave_number: 2, status: 'pending' } });
    const moved = await dcm.post('/api/waves/session-abc/transition');
    expect(moved.status).toBe(200);
    expect(moved.json).toMatchObject({ success: true, wave: { wave_number: 2, status: 'running', started_at: iso } });
    expect((await dcm.history()).json).toMatchObject({
      waves: [
        { wave_number: 1, status: 'completed', total_tasks: 2, completed_tasks: 2, failed_tasks: 0, completed_at: iso },
        { wave_number: 2, status: 'running', total_tasks: 0 },
      ],
      count: 2,
    });
  });
});

describe('what DCM did wrong stays right here', () => {
  test('start bypass: a wave is not started while one before it is unfinished, whatever its state', async () => {
    const dcm = dcmOf(server, 'bypass');
    const { subtasks } = await dcm.submit(0, [{}]);
    await dcm.wave('create', 1);
    expect(await dcm.wave('start', 1)).toMatchObject({ status: 409, json: { type: 'tidegate:unfinished-wave' } });
    await dcm.wave('start', 0);
    expect(await dcm.wave('start', 1)).toMatchObject({ status: 409 });
    await dcm.set(subtasks[0], 'failed');
    expect(await dcm.transition()).toMatchObject({ status: 409, json: { type: 'tidegate:no-next-wave' } });
    expect(await dcm.wave('start', 0)).toMatchObject({ status: 409, json: { type: 'tidegate:ended-wave' } });
  });

  test('double counting: a wave counts its subtasks, from every batch and however often they are reported', async () => {
    const dcm = dcmOf(server, 'counting');
    await dcm.wave('create', 0);
    const { subtasks } = await dcm.submit(0, [{}, {}]);
    await dcm.submit(0, [{}]);
    for (const _ of [1, 2, 3]) await dcm.set(subtasks[0], 'completed');
    expect((await dcm.current()).json).toMatchObject({
      wave: { total_tasks: 3, completed_tasks: 1, failed_tasks: 0, status: 'running' },
    });
  });

  test('stuck in running: a wave whose batch was submitted ends when its subtasks are through', async () => {
    const dcm = dcmOf(server, 'stuck');
    const { subtasks } = await dcm.submit(0, [{}, {}]);
    await dcm.wave('start', 0);
    await dcm.set(subtasks[0], 'completed');
    await dcm.set(subtasks[1], 'completed');
    expect((await dcm.history()).json).toMatchObject({ waves: [{ status: 'completed' }] });
  });

  test('complete with unfinished work is refused and lists it, and fails it when told to', async () => {
    const dcm = dcmOf(server, 'unfinished');
    const { batch, subtasks } = await dcm.submit(0, [{}, {}]);
    await dcm.set(subtasks[0], 'completed');
    const refused = await dcm.complete(batch);
    expect(refused).toMatchObject({ status: 409, json: { type: 'tidegate:unfinished-batch' } });
    expect((refused.json as { detail: string }).detail).toContain(`${subtasks[1]} (pending)`);
    expect(await dcm.synthesis(batch)).toMatchObject({ status: 404 });
    const given = await dcm.complete(batch, { fail_unfinished: true });
    expect(given.json).toMatchObject({
      synthesis: { next_wave_ready: false, stats: { total_tasks: 2, completed: 1, failed: 1 } },
    });
    expect((await dcm.batch(batch)).json).toMatchObject({ batch: { status: 'failed', failed_tasks: 1 } });
    expect((await dcm.complete(batch)).json).toEqual(given.json);
  });

  test('duration null: durations are those from start to end', async () => {
    const dcm = dcmOf(server, 'durations');
    const { batch, subtasks } = await dcm.submit(0, [{}]);
    await dcm.set(subtasks[0], 'running');
    const { subtask } = (await dcm.set(subtasks[0], 'completed')).json as {
      subtask: { started_at: string; completed_at: string };
    };
    const lasted = Date.parse(subtask.completed_at) - Date.parse(subtask.started_at);
    expect((await dcm.complete(batch)).json).toMatchObject({
      synthesis: { results: [{ duration_ms: lasted }], stats: { avg_duration_ms: lasted, total_duration_ms: lasted } },
    });
  });

  test('two agents of one type that change one file are in conflict', async () => {
    const dcm = dcmOf(server, 'one-type');
    const { batch, subtasks } = await dcm.submit(0, [{}, {}]);
    for (const subtask of subtasks) await dcm.set(subtask, 'completed', { files: ['src/a.ts'] });
    expect((await dcm.conflicts(batch)).json).toMatchObject({
      conflict_count: 1,
      conflicts: [{ type: 'file_conflict', agents: ['backend-laravel', 'backend-laravel'], subtasks }],
    });
  });

  test('a dependency conflict follows from blocked_by, not from words in a description', async () => {
    const dcm = dcmOf(server, 'dependency');
    const { batch, subtasks } = await dcm.submit(0, [
      { agent_type: 'backend' },
      { agent_type: 'frontend', description: 'what the backend made is not needed' },
      { agent_type: 'docs', blocked_by: ['task-1'] },
    ]);
    await dcm.set(subtasks[0], 'failed');
    await dcm.set(subtasks[1], 'blocked');
    expect((await dcm.conflicts(batch)).json).toMatchObject({
      conflict_count: 1,
      conflicts: [
        {
          type: 'dependency_conflict',
          severity: 'critical',
          agents: ['docs', 'backend'],
          subtasks: [subtasks[2], subtasks[0]],
        },
      ],
    });
  });

  test('blocked_by is enforced: by order, by existence, without rings', async () => {
    const dcm = dcmOf(server, 'blocked');
    const { subtasks } = await dcm.submit(0, [{}, { blocked_by: ['task-1'] }]);
    expect(await dcm.set(subtasks[1], 'completed')).toMatchObject({ status: 409, json: { type: 'tidegate:blocked' } });
    expect(await dcm.patch(subtasks[0], { blocked_by: [subtasks[1]] })).toMatchObject({
      status: 422,
      json: { type: 'tidegate:cycle' },
    });
    expect((await dcm.submit(0, [{ blocked_by: ['nobody'] }])).answered).toMatchObject({
      status: 422,
      json: { type: 'tidegate:bad-blocker' },
    });
    await dcm.set(subtasks[0], 'completed');
    expect(await dcm.set(subtasks[1], 'completed')).toMatchObject({ status: 200 });
  });

  test('re-entry: what is settled is settled once, in the ledger too', async () => {
    const dcm = dcmOf(server, 'again');
    const { batch, subtasks } = await dcm.submit(0, [{}]);
    for (const _ of [1, 2]) await dcm.wave('start', 0);
    for (const _ of [1, 2]) await dcm.set(subtasks[0], 'completed');
    for (const _ of [1, 2]) await dcm.complete(batch);
    for (const _ of [1, 2]) await dcm.wave('create', 0);
    expect(await dcm.set(subtasks[0], 'running')).toMatchObject({
      status: 409,
      json: { type: 'tidegate:settled-subtask' },
    });
    const facts = (await scene.events()).filter(
      ({ stream, event }) => stream === 'external:again' && event.type.startsWith('external-'),
    );
    expect(facts.map(({ event }) => event.type)).toEqual([
      'external-wave-created',
      'external-batch-submitted',
      'external-wave-started',
      'external-subtask-updated',
      'external-wave-ended',
      'external-batch-completed',
    ]);
  });

  test('create is no reset: a running wave stays running', async () => {
    const dcm = dcmOf(server, 'reset');
    await dcm.submit(3, [{}]);
    await dcm.wave('start', 3);
    expect((await dcm.wave('create', 3)).json).toMatchObject({ wave: { status: 'running', total_tasks: 1 } });
  });

  test('no authentication: nothing is read or changed without a token, and reading does not let change', async () => {
    const path = '/api/waves/open/create';
    expect((await server.ask('POST', path, { body: { wave_number: 0 } })).status).toBe(401);
    expect((await server.ask('GET', '/api/waves/open/history')).status).toBe(401);
    const read = { token: server.tokens.read, body: { wave_number: 0 } };
    expect((await server.ask('POST', path, read)).status).toBe(403);
  });
});

describe('beside what is documented', () => {
  test('one key asks once: the same batch again, something else not', async () => {
    const dcm = dcmOf(server, 'keyed');
    const key = { 'idempotency-key': 'k1' };
    const [first, again] = [await dcm.submit(0, [{}], key), await dcm.submit(0, [{}], key)];
    expect(again.batch).toBe(first.batch);
    expect((await dcm.current()).json).toMatchObject({ wave: { total_tasks: 1 } });
    const together = { 'idempotency-key': 'k2' };
    const three = await Promise.all([1, 2, 3].map(() => dcm.submit(0, [{}], together)));
    expect(new Set(three.map(({ batch }) => batch)).size).toBe(1);
    expect((await dcm.current()).json).toMatchObject({ wave: { total_tasks: 2 } });
    expect((await dcm.submit(0, [{}, {}], key)).answered).toMatchObject({
      status: 422,
      json: { type: 'tidegate:key-reused' },
    });
  });

  test('priority is 5 unless said, from 1 to 10; what is wrong is named', async () => {
    const dcm = dcmOf(server, 'priority');
    const { batch } = await dcm.submit(0, [{ context_snapshot: { branch: 'main' } }, { priority: 10 }]);
    expect((await dcm.batch(batch)).json).toMatchObject({
      batch: { subtasks: [{ priority: 10 }, { priority: 5, context_snapshot: { branch: 'main' } }] },
    });
    expect((await dcm.submit(0, [{ priority: 11 }])).answered).toMatchObject({
      status: 422,
      json: { field: 'body.tasks[0].priority' },
    });
    expect(await dcm.patch('nobody', {})).toMatchObject({ status: 422 });
    expect(await dcm.set('constructor', 'running')).toMatchObject({
      status: 404,
      json: { type: 'tidegate:unknown-subtask' },
    });
  });

  test('many at once are each answered once, and counted right', async () => {
    const dcm = dcmOf(server, 'many');
    const { batch, subtasks } = await dcm.submit(
      0,
      Array.from({ length: 40 }, () => ({})),
    );
    const answers = await Promise.all(subtasks.map((subtask) => dcm.set(subtask, 'completed')));
    expect(answers.map(({ status }) => status)).toEqual(subtasks.map(() => 200));
    expect((await dcm.complete(batch)).json).toMatchObject({
      synthesis: { next_wave_ready: true, stats: { completed: 40 } },
    });
  });

  test('a wave that runs without tasks is completed when the next is started by its number', async () => {
    const dcm = dcmOf(server, 'empty');
    await dcm.wave('create', 0);
    await dcm.wave('start', 0);
    await dcm.wave('create', 1);
    expect(await dcm.transition()).toMatchObject({ status: 409, json: { type: 'tidegate:unfinished-wave' } });
    expect((await dcm.wave('start', 1)).json).toMatchObject({ wave: { wave_number: 1, status: 'running' } });
    expect((await dcm.history()).json).toMatchObject({ waves: [{ status: 'completed' }, { status: 'running' }] });
  });

  test('everything is shown as it was at any event', async () => {
    const dcm = dcmOf(server, 'then');
    const { batch, subtasks } = await dcm.submit(0, [{}]);
    const at = (await scene.events()).at(-1)?.seq;
    await dcm.set(subtasks[0], 'completed');
    await dcm.complete(batch);
    expect((await dcm.get(`/api/waves/then/current?at=${at}`)).json).toMatchObject({ wave: { status: 'pending' } });
    expect((await dcm.get(`/api/waves/then/history?at=${at}`)).json).toMatchObject({ waves: [{ completed_tasks: 0 }] });
    expect((await dcm.get(`/api/orchestration/batch/${batch}?at=${at}`)).json).toMatchObject({
      batch: { status: 'pending', subtasks: [{ status: 'pending' }] },
    });
    expect((await dcm.get(`/api/orchestration/synthesis/${batch}?at=${at}`)).status).toBe(404);
    expect((await dcm.get(`/api/orchestration/conflicts/${batch}?at=1`)).status).toBe(404);
  });

  test('what was answered outlives a server that is killed, and the next one goes on', async () => {
    const { batch, subtasks } = await dcmOf(server, 'killed').submit(0, [{}, {}], { 'idempotency-key': 'once' });
    server.child.kill('SIGKILL');
    await once(server.child, 'close');
    server = await serverOf(scene);
    const dcm = dcmOf(server, 'killed');
    expect((await dcm.submit(0, [{}, {}], { 'idempotency-key': 'once' })).batch).toBe(batch);
    for (const subtask of subtasks) expect(await dcm.set(subtask, 'completed')).toMatchObject({ status: 200 });
    expect((await dcm.history()).json).toMatchObject({
      count: 1,
      waves: [{ status: 'completed', completed_tasks: 2 }],
    });
  });

  test('people see the sessions, and the ledger holds with them in it', async () => {
    const [status, events, verified] = await Promise.all([
      scene.cli('status', '--all'),
      scene.cli('events', '--all'),
      scene.cli('verify'),
    ]);
    expect([status.code, events.code, verified.code]).toEqual([0, 0, 0]);
    expect(status.stdout).toContain('external:session-abc: wave 2 running, 0 of 0 tasks completed');
    expect(events.stdout).toContain('external-batch-submitted');
    expect(verified.stdout).toMatch(/^Sound: .* 0 runs, \d+ sessions of other programs;/);
    const [replayed, listed, unknown] = await Promise.all([
      scene.cli('replay', 'external:again'),
      scene.cli('events', 'external:again'),
      scene.cli('replay', 'external:nobody'),
    ]);
    expect([replayed.code, listed.code, unknown.code]).toEqual([0, 0, 2]);
    expect(replayed.stdout).toContain('all decided the same again. wave 0 completed, 1 of 1 tasks completed');
    expect(listed.stdout).toContain('wave 0: completed');
    expect(checkHistory(await scene.events())).toEqual([]);
  });
});

test('F20: files of actions are files of the subtask, so two agents on one file are a conflict', async () => {
  const dcm = dcmOf(server, 'session-actions');
  const task = (id: string) => ({ task_id: id, agent_type: 'Snipper', description: `Do ${id}` });
  const submitted = await dcm.post('/api/orchestration/batch-submit', {
    session_id: 'session-actions',
    wave_number: 0,
    tasks: [task('one'), task('two')],
  });
  const { batch } = submitted.json as { batch: { id: string; subtask_ids: [string, string] } };
  const [first, second] = batch.subtask_ids;
  await dcm.post('/api/waves/session-actions/start', { wave_number: 0 });
  const act = (subtask_id: string, tool_name: string, ...file_paths: string[]) =>
    dcm.post('/api/actions', { subtask_id, tool_name, tool_type: 'builtin', file_paths });
  await act(first, 'Edit', 'src/a.ts', './src/only-one.ts');
  await act(first, 'Read', 'src/read.ts');
  await act(second, 'Read', 'src/read.ts');
  await act(second, 'Write', './src/a.ts');
  for (const subtask of [first, second]) await dcm.set(subtask, 'completed', { summary: 'done' });
  const { json } = await dcm.post(`/api/orchestration/batch/${batch.id}/complete`);
  expect(json).toMatchObject({
    synthesis: {
      summary: 'Wave 0: 2/2 tasks completed. 2 files modified, 1 conflicts.',
      files_changed: ['src/a.ts', 'src/only-one.ts'],
      conflicts: [{ type: 'file_conflict', subtasks: [first, second], files: ['src/a.ts'] }],
    },
  });
});
