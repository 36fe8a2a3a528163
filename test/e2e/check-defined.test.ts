import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { forge } from '../support/forge.ts';
import { killAt, type Scenario } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

/** The check looks at `works.txt`; how is up to the script that it is defined by. */
const files = { 'ci.sh': 'grep -q yes works.txt\n', 'works.txt': 'yes\n' };
const checks = [{ name: 'test', run: 'sh ci.sh' }];
const only = { limits: { attempts: 1 }, land: 'auto', checks };
const passes = 'echo true > ci.sh';
const breaks = 'echo no > works.txt';

const events = async (scene: Project): Promise<readonly RunEvent[]> =>
  (await scene.events()).map(({ event }) => event as RunEvent);

/** Each time that the check ran: on which tree, and what came of it. */
const ran = async (scene: Project) =>
  (await events(scene)).flatMap((event) => (event.type === 'check-ended' ? [event.check] : []));

const onMain = (scene: Project, path: string): string => scene.git('show', `main:${path}`);
const idOf = async (scene: Project): Promise<string> =>
  (await events(scene)).flatMap((event) => (event.type === 'run-created' ? [event.run] : []))[0] ?? '';

test('S3: a task that edits what defines the check is held, with just that change, until a person grants it', async () => {
  await using scene = await project({
    files,
    plan: { ...only, tasks: { work: scripted(`${passes}\n${breaks}\n${handoff}`) } },
  });
  const held = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect(held.code).toBe(43);
  expect(held.stdout).toContain('ci.sh: it defines the check test');
  expect(held.stdout).toContain(`tidegate grant ${id}/work ci.sh`);
  const why = await scene.cli('why', `${id}/work`);
  expect(why.stdout).toContain(`tidegate diff ${id}/work ci.sh`);
  const diff = await scene.cli('diff', `${id}/work`, 'ci.sh', '--no-pager');
  expect(diff.stdout).toContain('+true');
  expect(diff.stdout).not.toContain('b/works.txt');
  expect(onMain(scene, 'works.txt')).toBe('yes');

  // a wildcard was written for something else
  const wild = await scene.cli('grant', `${id}/work`, '*.sh');
  expect(wild.stdout).toContain('A wildcard never includes protected files and check definitions');
  expect((await scene.cli('resume', id)).code).toBe(43);
  expect(onMain(scene, 'works.txt')).toBe('yes');

  await scene.cli('grant', `${id}/work`, 'ci.sh');
  const ended = await scene.cli('resume', id);
  expect([ended.code, onMain(scene, 'ci.sh')]).toEqual([0, 'true']);
  // granted, the new definition is the only one
  expect((await ran(scene)).map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
});

test('S3: a definition that a task owns by name is tried beside the one before, and both outcomes hold it', async () => {
  const owns = ['ci.sh', 'works.txt'];
  await using scene = await project({
    files,
    plan: { ...only, tasks: { work: scripted(`${passes}\n${breaks}\n${handoff}`, { owns }) } },
  });
  const held = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect(held.code).toBe(43);
  expect(held.stdout).toContain('passes the check test only with its own change to ci.sh');
  expect(held.stdout).toContain(`tidegate grant ${id}/work ci.sh`);
  expect((await ran(scene)).map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'failed']);
  expect(new Set((await ran(scene)).map(({ tree }) => tree)).size).toBe(3);
  expect(await events(scene)).toContainEqual(
    expect.objectContaining({
      type: 'task-held',
      hold: expect.objectContaining({
        because: 'check',
        check: 'test',
        defined: expect.objectContaining({ changes: [{ path: 'ci.sh', tasks: ['work'] }] }),
      }),
    }),
  );
  expect(onMain(scene, 'works.txt')).toBe('yes');

  await scene.cli('grant', `${id}/work`, '*.sh');
  expect((await scene.cli('resume', id)).code).toBe(43);
  expect(onMain(scene, 'works.txt')).toBe('yes');
  await scene.cli('grant', `${id}/work`, 'ci.sh');
  expect([(await scene.cli('resume', id)).code, onMain(scene, 'ci.sh')]).toEqual([0, 'true']);
  expect((await scene.cli('verify')).code).toBe(0);
});

test('S3: a sound change of a definition lands, once the check has passed by both', async () => {
  const owns = ['ci.sh', 'more.txt'];
  const script = `echo 'grep -q yes works.txt && test -f more.txt' > ci.sh\necho x > more.txt\n${handoff}`;
  await using scene = await project({ files, plan: { ...only, tasks: { work: scripted(script, { owns }) } } });
  expect((await scene.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  expect((await ran(scene)).map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed']);
  expect(onMain(scene, 'ci.sh')).toContain('more.txt');
  expect(await events(scene)).toContainEqual(
    expect.objectContaining({
      type: 'phase-judged',
      phase: 'closure',
      evidence: expect.objectContaining({
        before: expect.objectContaining({ changes: [{ path: 'ci.sh', tasks: ['work'] }] }),
      }),
    }),
  );
  expect((await scene.cli('verify')).code).toBe(0);
});

test('S3: of a manifest only the keys that define the check are put back', async () => {
  const manifest = (scripts: object, more: object = {}) => JSON.stringify({ scripts, ...more });
  const owns = ['package.json', 'works.txt'];
  const next = manifest({ test: 'true', docs: 'x' }, { dependencies: {} });
  await using scene = await project({
    files: { ...files, 'package.json': manifest({ test: 'grep -q yes works.txt' }) },
    plan: {
      ...only,
      checks: [{ name: 'test', run: 'npm test' }],
      tasks: { work: scripted(`echo '${next}' > package.json\n${breaks}\n${handoff}`, { owns }) },
    },
  });
  const held = await scene.cli('run', 'plan.yaml', '--yes');
  expect(held.stdout).toContain('only with its own change to package.json (scripts.test)');
  const built = (await events(scene)).flatMap((event) =>
    event.type === 'candidate-built' ? (event.before ?? []) : [],
  )[0];
  const text = scene.git('--git-dir', scene.state().repository, 'show', `${built?.commit}:package.json`);
  expect(JSON.parse(text)).toEqual({ scripts: { test: 'grep -q yes works.txt', docs: 'x' }, dependencies: {} });
});

test('S3: where no definition changes, each check runs exactly as often as before', async () => {
  const plan = {
    ...only,
    tasks: { a: scripted(`echo a > a.txt\n${handoff}`), b: scripted(`echo b > b.txt\n${handoff}`, { needs: ['a'] }) },
  };
  await using scene = await project({ files, plan });
  expect((await scene.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  // the base, and the one candidate of the wave
  expect((await ran(scene)).map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
});

test('S3: what is left when a person drops the rest is judged by its keys, too', async () => {
  const manifest = (more: object) => JSON.stringify({ scripts: { test: 'true' }, ...more });
  const script = `echo '${manifest({ dependencies: {}, version: '2' })}' > package.json\necho x > .envrc\n${handoff}`;
  await using scene = await project({
    files: { 'package.json': manifest({ version: '1' }) },
    plan: { ...only, checks: [{ name: 'test', run: 'npm test' }], tasks: { work: scripted(script) } },
  });
  expect((await scene.cli('run', 'plan.yaml', '--yes')).code).toBe(43);
  const id = await idOf(scene);
  await scene.cli('drop', `${id}/work`, '.envrc');
  expect((await scene.cli('resume', id)).code).toBe(0);
  expect(onMain(scene, 'package.json')).toContain('"version":"2"');
});

test('S3: lint and show list what defines each check, and unprotect needs a person', async () => {
  const plan = { ...only, tasks: { work: scripted(`${passes}\n${handoff}`) } };
  await using scene = await project({ files: { ...files, 'tidegate.yaml': 'unprotect: [ci.sh]\n' }, plan });
  const lint = await scene.cli('lint', 'plan.yaml');
  expect(lint.code).toBe(2);
  expect(lint.stdout + lint.stderr).toContain('unprotect');
  const config = join(scene.root, 'home/.config/tidegate');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yaml'), 'unprotect: [ci.sh]\n');
  const again = await scene.cli('lint', 'plan.yaml');
  expect(again.stdout).toContain('defined by ci.sh');
  expect((await scene.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  expect((await scene.cli('show')).stdout).toContain('defined by tidegate.yaml');
  expect(readFileSync(join(scene.checkout, 'ci.sh'), 'utf8')).toBe('true\n');
});

test('S3: a landing on a branch that moved is tried by the definition of that branch, too, until a person grants the new one', async () => {
  const plan = { ...only, land: 'ask', tasks: { work: scripted(`${passes}\n${handoff}`, { owns: ['ci.sh'] }) } };
  await using scene = await project({ files, plan });
  await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  scene.write('works.txt', 'no\n');
  scene.git('commit', '-qam', 'breaks it');
  const theirs = scene.git('rev-parse', 'main');

  const refused = await scene.cli('land', id);
  expect([refused.code === 0, scene.git('rev-parse', 'main')]).toEqual([false, theirs]);
  const why = await scene.cli('why', id);
  expect(why.stdout).toContain(`tidegate grant ${id}/work ci.sh`);
  const landed = (await ran(scene)).slice(-2).map(({ outcome }) => outcome);
  expect(landed).toEqual(['passed', 'failed']);

  expect((await scene.cli('grant', `${id}/work`, 'ci.sh')).code).toBe(0);
  expect((await scene.cli('land', id)).code).toBe(0);
  expect(onMain(scene, 'ci.sh')).toBe('true');
  expect(scene.git('rev-parse', 'main~1')).toBe(theirs);
  expect((await scene.cli('verify')).code).toBe(0);
  expect(checkHistory(await scene.events())).toEqual([]);
});

/** Narrows the check in the first wave; the second breaks what the earlier definition looked at. */
const inTwoWaves = (land: string) => ({
  ...only,
  land,
  waves: [
    { tasks: { narrow: scripted(`${passes}\n${handoff}`, { owns: ['ci.sh'] }) } },
    { tasks: { breaking: scripted(`${breaks}\n${handoff}`, { owns: ['works.txt'] }) } },
  ],
});

test.each(['auto', 'branch', 'pr'])(
  'S3: landing (%s) is tried by the definition of a branch that has not moved, until a person grants the new one',
  async (land) => {
    await using scene = await project({ files, plan: inTwoWaves(land) });
    if (land === 'pr') forge(scene.root).connect(scene.git);
    const theirs = scene.git('rev-parse', 'main');
    const ended = await scene.cli('run', 'plan.yaml', '--yes');
    const id = await idOf(scene);
    expect([ended.code === 0, scene.git('rev-parse', 'main')]).toEqual([false, theirs]);
    expect(scene.git('branch', '--list', 'tidegate/*')).toBe('');
    // the base, which is also the first candidate with its definition; both candidates; and the landing with that of main
    expect((await ran(scene)).map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'failed']);
    const why = await scene.cli('why', id);
    expect(why.stdout).toContain("the check test passes with the run's definition but fails with the one on main");
    expect(why.stdout).toContain(`tidegate grant ${id}/narrow ci.sh`);
    expect(checkHistory(await scene.events())).toEqual([]);

    expect((await scene.cli('grant', `${id}/narrow`, 'ci.sh')).code).toBe(0);
    await scene.cli('land', id);
    const branch = land === 'auto' ? 'main' : `tidegate/${id}`;
    expect(scene.git('show', `${branch}:works.txt`)).toBe('no');
    expect((await ran(scene)).length).toBe(4);
    expect((await scene.cli('verify')).code).toBe(0);
    expect(checkHistory(await scene.events())).toEqual([]);
  },
);

test('S3: a definition that passes by both lands on a branch that has not moved, and no check runs twice on a tree', async () => {
  const more = `echo 'grep -q yes works.txt && test -f more.txt' > ci.sh\necho x > more.txt\n${handoff}`;
  const waves = [
    { tasks: { first: scripted(more, { owns: ['ci.sh', 'more.txt'] }) } },
    { tasks: { second: scripted(`echo y > other.txt\n${handoff}`) } },
  ];
  await using scene = await project({ files, plan: { ...only, waves } });
  expect((await scene.cli('run', 'plan.yaml', '--yes')).code).toBe(0);
  const trees = (await ran(scene)).map(({ tree }) => tree);
  // the base; the first candidate by both; the second; and what lands, with the definition of main
  expect([trees.length, new Set(trees).size]).toEqual([5, 5]);
  expect((await scene.cli('verify')).code).toBe(0);
  const history = await scene.events();
  expect(checkHistory(history)).toEqual([]);
  const plainTerminal = history.filter(({ event }) => (event as RunEvent).type !== 'landing-rebuilt');
  expect(checkHistory(plainTerminal)).toContainEqual(
    expect.objectContaining({ what: expect.stringContaining('was not compared with the branch') }),
  );
});

describe('S3: killed half way, the comparison with a branch that has not moved is finished by the next coordinator:', () => {
  const scenario: Scenario = {
    name: 'a definition landed',
    plan: {
      checks: [{ name: 'test', run: 'test -f readme.md', defines: ['ci.txt'] }],
      waves: [
        { tasks: { one: scripted(`echo 1 > ci.txt\n${handoff}`, { owns: ['ci.txt'] }) } },
        { tasks: { two: scripted(`echo 2 > two.txt\n${handoff}`) } },
      ],
    },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--json')),
    during: ['land', 'RUN', '--json'],
    files: ['ci.txt', 'plan.yaml', 'readme.md', 'two.txt'],
  };
  test.each(['merger-rebuild-written', 'merger-rebuild-kept', 'merger-landing-intended'])(
    'at %s',
    async (failpoint) => {
      expect(await killAt(scenario, failpoint, 1)).toEqual({ reached: true, problems: [] });
    },
  );
});

test('S3: a run that ended without landing takes the grant that its landing asks for', async () => {
  const tasks = {
    work: scripted(`${passes}\n${handoff}`, { owns: ['ci.sh'] }),
    more: scripted(`for f in a b c d; do echo "# x" >> $f.sh; done\n${handoff}`, {
      owns: ['a.sh', 'b.sh', 'c.sh', 'd.sh'],
    }),
  };
  const helpers = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.sh`, 'true\n']));
  const defined = [{ ...checks[0], defines: Object.keys(helpers) }];
  await using scene = await project({
    files: { ...files, ...helpers },
    plan: { ...only, land: 'ask', checks: defined, tasks },
  });
  await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  await scene.cli('reject', id);
  expect(await events(scene)).toContainEqual({ type: 'run-ended', outcome: 'done' });
  scene.write('works.txt', 'no\n');
  scene.git('commit', '-qam', 'breaks it');

  await scene.cli('land', id);
  const why = await scene.cli('why', id);
  const commands = why.stdout.split('\n').flatMap((line) => /tidegate grant .*/.exec(line)?.[0] ?? []);
  expect(commands.toSorted()).toEqual([
    `tidegate grant ${id}/more a.sh b.sh c.sh d.sh`,
    `tidegate grant ${id}/work ci.sh`,
  ]);
  for (const command of commands) expect(await scene.cli(...command.split(' ').slice(1))).toMatchObject({ code: 0 });
  expect((await scene.cli('land', id)).code).toBe(0);
  expect([onMain(scene, 'ci.sh'), onMain(scene, 'works.txt')]).toEqual(['true', 'no']);
  expect((await scene.cli('verify')).code).toBe(0);
  expect(checkHistory(await scene.events())).toEqual([]);
});

test('S7: agents and checks see what setup makes of their tree, not what it once made of another', async () => {
  const plan = (task: string) => ({
    land: 'auto',
    setup: 'mkdir -p out; cp src/v out/v',
    limits: { attempts: 1 },
    checks: [{ name: 'test', run: 'cmp src/v out/v' }],
    tasks: { [task]: scripted(`cmp src/v out/v; echo x > ${task}.txt; ${handoff}`) },
  });
  const built = { 'package.json': '{}\n', 'src/v': '1\n', '.gitignore': 'out/\n' };
  await using scene = await project({ files: built, plan: plan('one') });
  expect(await scene.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 0 });
  scene.write('src/v', '2\n');
  scene.write('second.yaml', stringify(plan('two')));
  scene.git('add', '-A');
  scene.git('commit', '-q', '-m', 'another v');
  expect(await scene.cli('run', 'second.yaml', '--yes')).toMatchObject({ code: 0 });
  expect(onMain(scene, 'two.txt')).toBe('x');
});
