import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { type Project, project, scripted } from '../support/project.ts';

const sh = (script: string) => ({ agent: 'command', command: ['/bin/sh', '-c', script] });
const file = (path: string, text: string): string => `printf '${text}' > ${path}`;
const done = (more = ''): string => `tidegate handoff done -m "did it"${more}`;

type Scene = {
  readonly left?: string;
  readonly right?: string;
  readonly resolver: string | object;
  readonly list?: string;
  readonly plan?: object;
};

/** Both tasks change the first line of a file, each by its own script. */
const scene = ({ left = file('list.txt', 'left\\nmiddle\\n'), list = 'first\nmiddle\n', ...given }: Scene) =>
  project({
    files: { 'list.txt': list },
    plan: {
      land: 'auto',
      resolver: typeof given.resolver === 'string' ? sh(given.resolver) : given.resolver,
      tasks: {
        left: scripted(`${left}; ${done()}`),
        right: scripted(`${given.right ?? file('list.txt', 'right\\nmiddle\\n')}; ${done()}`),
      },
      ...given.plan,
    },
  });

async function ran(p: Project) {
  const { code, stdout, stderr } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const stored = await p.events();
  expect(checkHistory(stored)).toEqual([]);
  return { code, said: stdout + stderr, events: stored.map(({ event }) => event) };
}

const typesOf = (events: readonly { readonly type: string }[], type: string) =>
  events.filter((event) => event.type === type);

test('a task does not change the program of the resolver', async () => {
  const own = `${file('list.txt', 'left\\nmiddle\\n')}; ${file('resolve.sh', '#!/bin/sh\\n')}`;
  await using p = await scene({ left: own, resolver: { command: ['./resolve.sh'] } });
  p.write('resolve.sh', `#!/bin/sh\n${file('list.txt', 'left\\nright\\nmiddle\\n')}; ${done()}\n`, 0o755);
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'a resolver');
  const { code } = await ran(p);
  expect(code).toBe(43);
  expect((await p.cli('why', 'left')).stdout).toContain('modified resolve.sh: it defines the resolver');
  expect(p.git('show', 'main:list.txt')).toBe('first\nmiddle');
}, 60_000);

test('a task does not make the program of the resolver', async () => {
  const own = `echo left > l.txt; mkdir -p tools; ${file('tools/resolve.sh', '#!/bin/sh\\n')}; chmod +x tools/resolve.sh`;
  await using p = await scene({
    left: own,
    resolver: { command: ['./tools/resolve.sh'] },
    plan: { checks: [{ name: 'test', run: '! { test -f l.txt && grep -q right list.txt; }' }] },
  });
  const { code, events } = await ran(p);
  expect(code).toBe(43);
  expect((await p.cli('why', 'left')).stdout).toContain('added tools/resolve.sh: it defines the resolver');
  expect(typesOf(events, 'task-derived')).toEqual([]);
}, 60_000);

test('a file that one side renamed is for a person', async () => {
  await using p = await scene({
    list: 'a\nb\nc\nd\ne\nf\ng\nh\n',
    left: "sed -i 's/^a/a-left/' list.txt",
    right: "mv list.txt names.txt; sed -i 's/^a/a-right/' names.txt",
    resolver: `${file('names.txt', 'a-right\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n')}; rm -f list.txt; ${done()}`,
  });
  const { code, events } = await ran(p);
  expect(code).toBe(43);
  expect(typesOf(events, 'task-derived')).toEqual([]);
}, 60_000);

test.each<[string, Omit<Scene, 'plan'>, string]>([
  [
    'brings back a line that both sides replaced',
    {
      list: 'auth=off\nmiddle\n',
      left: file('list.txt', 'auth=left\\nmiddle\\n'),
      right: file('list.txt', 'auth=right\\nmiddle\\n'),
      resolver: `${file('list.txt', 'auth=left\\nauth=right\\nauth=off\\nmiddle\\n')}; ${done()}`,
    },
    'the result has lines again that the other tasks removed at line 1',
  ],
  [
    'takes back the mode of a side',
    {
      right: `${file('list.txt', 'right\\nmiddle\\n')}; chmod +x list.txt`,
      resolver: `${file('list.txt', 'left\\nright\\nmiddle\\n')}; chmod -x list.txt; ${done()}`,
    },
    'the result lacks mode 100755',
  ],
  [
    'exchanges lines between the blocks of both sides',
    {
      list: 'jobs:\n',
      left: file('list.txt', 'jobs:\\n  left:\\n    admin: no\\n'),
      right: file('list.txt', 'jobs:\\n  right:\\n    run: yes\\n'),
      resolver: `${file('list.txt', 'jobs:\\n  left:\\n    run: yes\\n  right:\\n    admin: no\\n')}; ${done()}`,
    },
    'the result lacks',
  ],
])(
  'a resolver that %s is held',
  async (_, given, said) => {
    await using p = await scene(given);
    const { code } = await ran(p);
    expect(code).toBe(43);
    expect((await p.cli('why', 'resolve-right-1')).stdout).toContain(said);
    expect(p.git('show', 'main:list.txt')).toBe((given.list ?? 'first\nmiddle\n').trim());
  },
  60_000,
);

test('what a resolver left out is shown wherever a person decides', async () => {
  const took = `${file('list.txt', 'left\\nmiddle\\n')}; ${done(" --dropped 'list.txt reviewed'")}`;
  await using p = await scene({ resolver: took, plan: { land: 'ask' } });
  const { said } = await ran(p);
  const { run } = JSON.parse(said.split('\n')[0] ?? '');
  const left = 'list.txt:1 of right (reviewed)';
  for (const words of [
    ['status'],
    ['inbox'],
    ['show', run],
    ['show', 'right'],
    ['show', 'resolve-right-1'],
    ['why', '--all'],
    ['why', 'right'],
    ['diff', 'right'],
  ])
    expect([words.join(' '), (await p.cli(...words)).stdout]).toEqual([words.join(' '), expect.stringContaining(left)]);
  expect((await p.cli('diff', 'right')).stdout).not.toContain('+right');
  const { waves } = JSON.parse((await p.cli('status', '--json')).stdout);
  const out = [{ path: 'list.txt', side: 'theirs', from: 1, to: 1, reason: 'reviewed' }];
  expect(waves[0].tasks.map(({ id, leftOut }: { id: string; leftOut?: unknown }) => [id, leftOut])).toEqual([
    ['left', undefined],
    ['right', out],
    ['resolve-right-1', out],
  ]);
  expect(await p.cli('land', run)).toMatchObject({ code: 0 });
  expect(p.git('log', '--format=%B', 'main')).toContain(`Tidegate-Left-out: ${left}\n`);
}, 60_000);

test('the commands for a held resolver are those that work', async () => {
  const wide = `${file('list.txt', 'left\\nright\\nmiddle\\n')}; echo evil > evil.txt; ${done()}`;
  await using p = await scene({ resolver: wide });
  const { said } = await ran(p);
  const { run } = JSON.parse(said.split('\n')[0] ?? '');
  const why = (await p.cli('why', '--all')).stdout + (await p.cli('inbox')).stdout;
  expect(why).not.toContain('grant');
  expect(why).toContain(`tidegate drop ${run}/resolve-right-1 evil.txt`);
  expect(why).not.toContain('--only resolve-right-1');
  expect(await p.cli('drop', `${run}/resolve-right-1`, 'evil.txt')).toMatchObject({ code: 0 });
  expect(await p.cli('resume', run, '--json')).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:list.txt')).toBe('left\nright\nmiddle');
  expect(checkHistory(await p.events())).toEqual([]);
}, 60_000);

test('a resolver in the configuration of a repository needs the confirmation of a person', async () => {
  const both = `${file('list.txt', 'left\\nright\\nmiddle\\n')}; ${done()}`;
  await using p = await scene({ resolver: both });
  p.write('tidegate.yaml', JSON.stringify({ resolver: sh(both) }));
  p.write('other.yaml', JSON.stringify({ tasks: { one: scripted(`echo 1 > one.txt; ${done()}`) } }));
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'a resolver for everyone');
  const refused = await p.cli('run', 'other.yaml', '--yes');
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([
    2,
    expect.stringMatching(/resolver.*config confirm/s),
  ]);
}, 60_000);
