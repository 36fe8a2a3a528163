import { expect, test } from 'vitest';
import { explain } from '../../domain/explain/explain.ts';
import { scopeOf, whyForeign } from '../../domain/scope/scope.ts';
import { loadPlan } from './index.ts';

const load = (text: string) =>
  loadPlan({ root: '/nowhere', planFile: { text, as: 'plan.yaml' }, currentBranch: 'main' });

const plan = (closure: string, tasks = 'a: { do: Write the parser and its tests., owns: [src/**] }') => `agent: command
command: [agent]
checks: [{ name: test, run: ./test.sh, defines: [test.sh] }]
closure:
  ${closure}
tasks:
  ${tasks}
`;

async function refused(text: string): Promise<readonly string[]> {
  const loaded = await load(text);
  return loaded.ok ? [] : loaded.findings.map((one) => `${one.where} ${one.rule}: ${explain(one).detail}`);
}

async function frozen(text: string) {
  const loaded = await load(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings.map(explain)));
  return loaded.plan;
}

test('closure roles are frozen in their order; QA may be absent', async () => {
  const { waves } = await frozen(plan('{ docs: { command: [./d], owns: [docs/**] }, security: { command: [./s] } }'));
  expect(waves[0]?.closure?.map(({ id, closes, owns }) => [id, closes, owns])).toEqual([
    ['wave-1-security', 'security', []],
    ['wave-1-docs', 'docs', ['docs/**']],
  ]);
});

test.each([
  [
    'a task with the id of a role',
    plan('{ qa: command }', 'wave-1-qa: { do: Write the parser and its tests., owns: [src/**] }'),
    ['role-id'],
  ],
  ['paths of a task', plan('{ docs: { agent: command, owns: [src/doc/**] } }'), ['ownership-conflict']],
  [
    'paths that a task locks',
    plan(
      '{ docs: { agent: command, owns: [docs/**] } }',
      'a: { do: Write the parser and its tests., locks: [docs/api.md] }',
    ),
    ['ownership-conflict'],
  ],
  [
    'paths that a task shares',
    plan(
      '{ docs: { agent: command, owns: [docs/**] } }',
      'a: { do: Write the parser., owns: [src/**], shares: [docs/api.md] }',
    ),
    ['ownership-conflict'],
  ],
  [
    'paths of another role',
    plan('{ docs: { agent: command, owns: [docs/**] }, infra: { agent: command, owns: [docs/infra.md] } }'),
    ['ownership-conflict'],
  ],
  [
    'everything',
    plan('{ docs: { agent: command, owns: ["**"] } }', 'a: { do: Write the parser and its tests. }'),
    ['role-owns'],
  ],
  ['a protected path', plan('{ infra: { agent: command, owns: [.github/workflows/ci.yml] } }'), ['role-owns']],
  ['a check definition', plan('{ qa: { agent: command, owns: [test.sh] } }'), ['role-owns']],
  ['files of its own, as QA', plan('{ qa: { agent: command, owns: [review.md] } }'), ['role-owns']],
  ['an unknown agent', plan('{ qa: clade }'), ['unknown-agent']],
  ['an unknown role', plan('{ secruity: command }'), ['unknown-key']],
])('a closure role may not have %s', async (_, text, rules) => {
  const found = await refused(text);
  expect(found.map((one) => one.replace(/^\S+ ([a-z-]+):.*$/s, '$1'))).toEqual(rules);
});

test('the place of a mistake is that of the role, and the message names the nearest word', async () => {
  expect(
    await refused(plan('{ docs: { agent: command, owns: ["**"] } }', 'a: Write the parser and its tests.')),
  ).toEqual([
    'plan.yaml:5:36 role-owns: the closure role `wave-1-docs` must not own `**`: the other roles would judge an empty tree',
  ]);
  const loaded = await load(plan('{ secruity: command }'));
  expect(loaded.ok ? [] : loaded.findings.map((one) => explain(one).fix)).toEqual([
    expect.stringContaining('security'),
  ]);
});

test('a role with agent: command needs a command', async () => {
  const text = plan('{ qa: command }').replace('agent: command\ncommand: [agent]\n', 'agent: claude\n');
  expect(await refused(text)).toEqual([expect.stringContaining('command-missing: `wave-1-qa`')]);
});

test('a task without owns cannot change the paths of a role', async () => {
  const one = await frozen(plan('{ docs: { agent: command, owns: [docs/**] } }', 'a: Write the parser and its tests.'));
  const [task] = one.waves[0]?.tasks ?? [];
  if (task === undefined) throw new Error('no task');
  const scope = scopeOf(one, task, []);
  expect(whyForeign(scope, 'docs/api.md')).toMatchObject({ rule: 'out-of-scope', by: 'wave-1-docs' });
  expect(whyForeign(scope, 'src/a.ts')).toBeNull();
});

test('a design role is an ordinary first task that every other task of the wave needs', async () => {
  const one = await frozen(plan('{ design: { agent: command, owns: [design/**] }, qa: command }'));
  expect(one.waves[0]?.tasks.map(({ id, role, needs, owns, closes }) => ({ id, role, needs, owns, closes }))).toEqual([
    { id: 'wave-1-design', role: 'design', needs: [], owns: ['design/**'], closes: undefined },
    { id: 'a', role: 'impl-core', needs: ['wave-1-design'], owns: ['src/**'], closes: undefined },
  ]);
  expect(one.waves[0]?.closure?.map(({ id }) => id)).toEqual(['wave-1-qa']);
});

test('the closure of a wave replaces that of the plan', async () => {
  const { waves } = await frozen(`agent: command
command: [agent]
closure: { qa: command }
waves:
  - tasks: { a: Write the parser and its tests. }
  - closure: { security: command }
    tasks: { b: Write the printer and its tests. }
  - closure: {}
    tasks: { c: Write the command and its tests. }
`);
  expect(waves.map(({ closure = [] }) => closure.map(({ id }) => id))).toEqual([
    ['wave-1-qa'],
    ['wave-2-security'],
    [],
  ]);
});
