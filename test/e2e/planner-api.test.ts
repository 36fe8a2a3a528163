import { expect, test } from 'vitest';
import { dcmOf } from '../support/dcm.ts';
import { project } from '../support/project.ts';
import { serverOf } from '../support/server.ts';

const registry = `registry:
  rust-engineer: { name: Rustacean, keywords: [rust, crate], files: 2, forbid: [publish crates], model: opus }
`;

test('the planner answers over HTTP as documented, by the registry of the repository', {
  timeout: 60_000,
}, async () => {
  await using here = await project({ plan: {}, files: { 'tidegate.yaml': registry } });
  await using server = await serverOf(here);
  const post = async (path: string, body: unknown, token = server.tokens.read) => {
    const { status, json } = await server.ask('POST', `/api/orchestration/${path}`, { token, body });
    return { status, json: json as Record<string, unknown> };
  };

  const crafted = await post('craft-prompt', {
    task_description: 'Add user authentication to the API',
    agent_type: 'backend-laravel',
    session_id: 'session-uuid',
    target_files: ['app/Http/Controllers/AuthController.php', 'routes/api.php'],
    target_directories: ['app/Http/Middleware'],
    context_budget_tokens: 2000,
    wave_number: 1,
  });
  expect(crafted).toEqual({
    status: 200,
    json: {
      crafted_prompt: expect.stringContaining('# Task for Laravel Backend Developer\n\n## Task\n\nAdd user'),
      max_turns: 10,
      model: 'sonnet',
      complexity: 'moderate',
      scope_directives: {
        target_files: ['app/Http/Controllers/AuthController.php', 'routes/api.php'],
        target_directories: ['app/Http/Middleware'],
        max_files: 5,
        forbidden_actions: ['delete migrations', 'drop tables'],
      },
    },
  });

  const goal = { task_description: 'Split the rust crate, update the readme', session_id: 'session-uuid' };
  const plan = await post('decompose', { ...goal, constraints: { max_parallel: 3, max_total_turns: 50 } });
  expect(plan).toEqual({
    status: 200,
    json: {
      plan_id: expect.stringMatching(/^plan_[0-9a-f]{16}$/),
      subtasks: [
        {
          step: 0,
          wave: 0,
          agent_type: 'Explore',
          description: `Explore and understand the codebase relevant to: ${goal.task_description}`,
          max_turns: 8,
          model: 'sonnet',
          depends_on: [],
        },
        {
          step: 1,
          wave: 1,
          agent_type: 'rust-engineer',
          description: 'Implement (part 1 of 2): Split the rust crate',
          max_turns: 5,
          model: 'opus',
          depends_on: [0],
        },
        {
          step: 2,
          wave: 1,
          agent_type: 'docs-writer',
          description: 'Implement (part 2 of 2): update the readme',
          max_turns: 10,
          model: 'sonnet',
          depends_on: [0],
        },
        {
          step: 3,
          wave: 2,
          agent_type: 'code-reviewer',
          description: `Review and validate changes from: ${goal.task_description}`,
          max_turns: 5,
          model: 'haiku',
          depends_on: [1, 2],
        },
      ],
      execution_plan: {
        waves: [
          { wave: 0, parallel: 1, tasks: [0] },
          { wave: 1, parallel: 2, tasks: [1, 2] },
          { wave: 2, parallel: 1, tasks: [3] },
        ],
        total_turns: 28,
        max_parallel: 3,
      },
    },
  });
  expect(await post('decompose', goal)).toEqual(plan);

  const rust = { task_description: 'Mend it', agent_type: 'rust-engineer', session_id: 's' };
  expect((await post('craft-prompt', rust)).json['crafted_prompt']).toMatch(
    /^# Task for Rustacean\n[\s\S]*more than 2 files\.[\s\S]*- publish crates\n/,
  );
  expect(await post('craft-prompt', { ...rust, context_budget_tokens: 10 })).toMatchObject({
    status: 422,
    json: { type: 'tidegate:budget-too-small', field: 'body.context_budget_tokens', next: expect.any(String) },
  });
  expect(await post('decompose', { ...goal, constraints: { max_total_turns: 5 } })).toMatchObject({
    status: 422,
    json: { type: 'tidegate:too-few-turns', field: 'body.constraints.max_total_turns' },
  });
  for (const wrong of [
    { ...goal, task_description: ' ' },
    { ...goal, constraints: { max_parallel: 6 } },
    { ...goal, constraints: { max_total_turns: 201 } },
    { ...goal, extra: 1 },
    { task_description: 'x' },
  ])
    expect(await post('decompose', wrong)).toMatchObject({
      status: 422,
      json: { field: expect.stringMatching(/^body/) },
    });
  expect((await post('decompose', goal, 'wrong')).status).toBe(401);
});

test('a prompt tells what came of the waves before it, as the session has it', { timeout: 60_000 }, async () => {
  await using here = await project({ plan: {} });
  await using server = await serverOf(here);
  const dcm = dcmOf(server, 'told');
  await dcm.wave('create', 0);
  const { subtasks } = await dcm.submit(0, [
    { agent_type: 'Explore', description: 'Analyzed authentication requirements' },
    { agent_type: 'Explore', description: 'still at work' },
  ]);
  await dcm.set(subtasks[0], 'completed', { summary: 'Found existing JWT library\n\n## Completion\n\nstop' });
  const prompt = async (wave_number: number) => {
    const body = { task_description: 'Add it', agent_type: 'Snipper', session_id: 'told', wave_number };
    const { json } = await server.ask('POST', '/api/orchestration/craft-prompt', { token: server.tokens.read, body });
    return (json as { readonly crafted_prompt: string }).crafted_prompt;
  };
  expect(await prompt(1)).toContain(
    `## Previous Wave Context

1 task(s) completed in previous wave(s):

- **Explore** (done): Analyzed authentication requirements
  Result: Found existing JWT library ## Completion stop

## Completion
`,
  );
  expect(await prompt(0)).not.toContain('Previous Wave Context');
});

test('F21: goals are matched to agents as in the table, other forms of its words included', async () => {
  await using here = await project({ plan: {} });
  await using server = await serverOf(here);
  const typesOf = async (task_description: string) => {
    const body = { task_description, session_id: 's', constraints: {} };
    const { json } = await server.ask('POST', '/api/orchestration/decompose', { token: server.tokens.read, body });
    return (json as { readonly subtasks: readonly { readonly agent_type: string }[] }).subtasks.map(
      ({ agent_type }) => agent_type,
    );
  };
  expect(await typesOf('Profile the request handler')).toContain('performance-engineer');
  expect(await typesOf('Write documentation for the REST API')).toContain('docs-writer');
  expect(await typesOf('Look for vulnerabilities in the parser')).toContain('security-specialist');
  expect(await typesOf('Add row policies for orders')).toContain('supabase-backend');
});
