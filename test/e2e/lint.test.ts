import { expect, test } from 'vitest';
import { handoff, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';

type Linted = {
  readonly exit: number;
  readonly findings?: readonly { readonly rule: string; readonly where?: string; readonly fix?: string }[];
};

const command = 'agent: command\ncommand: ["true"]\n';
const overlapping = `${command}tasks:
  first:
    do: Write src/a.ts with 1.
    owns: [src/**, docs/*.md]
  second:
    do: Write src/b.ts with 2.
    owns:
      - lib/**
      - docs/api.md
      - src/b.ts
`;

test('F9: lint finds overlapping owns, with file, line, column and every path of a pair', async () => {
  await using here = await project({ plan: {}, files: { 'two.yaml': overlapping } });
  const linted = await here.cli('lint', 'two.yaml');
  expect(linted.code).toBe(2);
  expect(linted.stdout).toBe(
    [
      'two.yaml:6:20: error: `first` and `second` could both write `docs/api.md` (owns `docs/*.md` at two.yaml:6:20, owns `docs/api.md` at two.yaml:11:9), `src/b.ts` (owns `src/**` at two.yaml:6:12, owns `src/b.ts` at two.yaml:12:9)',
      '  make one need the other, narrow what they own, or list the path in `shares` of both',
      '1 mistake; nothing was started',
      '',
    ].join('\n'),
  );
  const { findings } = JSON.parse((await here.cli('lint', 'two.yaml', '--json')).stdout) as Linted;
  expect(findings).toMatchObject([{ rule: 'ownership-conflict', where: 'two.yaml:6:20' }]);
  const dry = await here.cli('run', 'two.yaml', '--dry-run');
  expect(dry).toEqual(linted);
});

test('a plan that has no checks is told so, and is no mistake', async () => {
  const tasks = { one: scripted(handoff, { owns: ['one.txt'] }) };
  await using here = await project({
    plan: { tasks },
    files: {
      'checked.yaml': `${command}checks: [{ name: test, run: sh ci.sh }]\ntasks: { one: { do: Write one.txt with 1., owns: [one.txt] } }\n`,
    },
  });
  const linted = await here.cli('lint', 'plan.yaml');
  expect([linted.code, linted.stdout.includes('warning: the plan has no checks: ')]).toEqual([0, true]);
  const checked = await here.cli('lint', 'checked.yaml');
  expect([checked.code, checked.stdout.includes('has no checks')]).toEqual([0, false]);
});

test('F9: POST plans/lint finds what lint finds', async () => {
  await using here = await project({ plan: { tasks: { one: scripted(handoff, { owns: ['one.txt'] }) } } });
  await using server = await serverOf(here);
  const { json } = await server.ask('GET', '/v1/server', { token: server.tokens.read });
  const base = `/v1/repositories/${(json as { readonly home: string }).home}`;
  const { json: linted } = await server.ask('POST', `${base}/plans/lint`, {
    token: server.tokens.read,
    body: { plan: `base: gone\n${overlapping}` },
  });
  expect(linted).toMatchObject({
    ok: false,
    findings: [
      { rule: 'base-missing', where: 'the plan:1:7' },
      { rule: 'ownership-conflict', where: 'the plan:7:20' },
    ],
  });
});

/** Each is refused, or taken, by both. */
const plans: Readonly<Record<string, string>> = {
  sound: `${command}tasks:\n  a: { do: Write a.txt, owns: [a.txt] }\n`,
  overlapping,
  'without its base': `${command}base: gone\ntasks:\n  a: { do: Write a.txt, owns: [a.txt] }\n`,
  'of a copied clause': `${command}forbid: [x]\ntasks:\n  a: "Never do any of the following:\\n- x"\n`,
  'with an empty wave': `${command}waves:\n  - tasks: { a: Write a.txt }\n  - tasks: {}\n`,
  'for an unknown agent': 'tasks:\n  a: { do: Write a.txt, agent: clawed }\n',
  'that share a path': `${command}tasks:\n  a: { do: x, shares: [p.json] }\n  b: { do: x, shares: [p.json] }\n`,
  'ordered by needs': `${command}tasks:\n  a: { do: x, owns: [a] }\n  b: { do: x, owns: [a], needs: [a] }\n`,
};
const sound = ['sound', 'that share a path', 'ordered by needs'];

test.each(Object.entries(plans))('F9: lint and a dry run agree on a plan %s', async (name, text) => {
  await using here = await project({ plan: {}, files: { 'one.yaml': text } });
  const [linted, dry] = await Promise.all([
    here.cli('lint', 'one.yaml', '--json'),
    here.cli('run', 'one.yaml', '--dry-run', '--json'),
  ]);
  const read = (stdout: string) => JSON.parse(stdout) as Linted;
  expect(read(linted.stdout).exit).toBe(sound.includes(name) ? 0 : 2);
  expect(read(dry.stdout).exit).toBe(read(linted.stdout).exit);
  expect(read(dry.stdout).findings).toEqual(read(linted.stdout).findings);
});

test('F18: a key at the wrong level is told where it belongs', async () => {
  const plan = `${command}owns: [src/**]
tasks:
  one:
    do: Write one.txt
    limits: { minutes: 5 }
    promt: Write two.txt
  two: { do: Write two.txt, minutes: 5 }
`;
  await using here = await project({ plan: {}, files: { 'one.yaml': plan, 'tidegate.yaml': 'needs: [a]\n' } });
  const { findings = [] } = JSON.parse((await here.cli('lint', 'one.yaml', '--json')).stdout) as Linted;
  expect(findings.map(({ where, fix }) => `${where} ${fix}`)).toEqual([
    'one.yaml:3:1 `owns` belongs in a task',
    'one.yaml:7:5 `limits` belongs in the top level of the plan',
    'one.yaml:8:5 remove it',
    'one.yaml:9:29 `minutes` belongs in `limits` or an entry of `checks`',
    'tidegate.yaml:1:1 `needs` belongs in a task',
  ]);
});

test('F18: a model for the whole plan is the default of its tasks, from any layer', async () => {
  const plan = `${command}model: large
tasks:
  one: { do: Write one.txt, owns: [one.txt] }
  two: { do: Write two.txt, owns: [two.txt], model: small }
  own: { do: Write own.txt, owns: [own.txt], model: null }
`;
  await using here = await project({
    plan: {},
    files: { 'one.yaml': plan, 'tidegate.yaml': 'model: medium\n', 'bare.yaml': plan.replace('model: large\n', '') },
  });
  const modelsOf = async (file: string) => {
    const { plan: frozen } = JSON.parse((await here.cli('run', file, '--dry-run', '--json')).stdout) as {
      readonly plan: { readonly waves: readonly { readonly tasks: readonly { readonly model: string | null }[] }[] };
    };
    return frozen.waves.flatMap(({ tasks }) => tasks.map(({ model }) => model));
  };
  expect(await modelsOf('one.yaml')).toEqual(['large', 'small', null]);
  expect(await modelsOf('bare.yaml')).toEqual(['medium', 'small', null]);
  expect((await here.cli('config', '--origin')).stdout).toMatch(/^model: "medium" +# tidegate\.yaml:1:8$/m);
});

test('F26: a limit of turns that cannot be kept is warned about, and is not promised to the agent', async () => {
  const look = scripted(handoff, { owns: [] });
  await using here = await project({ plan: { land: 'branch', limits: { turns: 7 }, tasks: { look } } });
  const linted = await here.cli('lint', 'plan.yaml');
  expect(linted.code).toBe(0);
  expect(linted.stdout).toContain('plan.yaml:3:10: warning: `limits.turns` does not apply to look: ');
  expect((await here.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  expect((await here.cli('show', 'look', '--prompt')).stdout).not.toMatch(/\bturns\b/);
});

test('F27: a task that only explores owns nothing, and is done without a change', async () => {
  const look = scripted(handoff, { role: 'discovery' });
  await using here = await project({ plan: { land: 'branch', tasks: { look } } });
  expect((await here.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  const prompt = (await here.cli('show', 'look', '--prompt')).stdout;
  expect(prompt).toContain('Change nothing: your handoff is all that others get.');
  expect(prompt).not.toContain('At least one file');
});
