import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const copy = scripted(`cat readme.md new.txt > one.txt; ${handoff}`, { owns: ['one.txt'] });
type Told = { readonly rule: string; readonly where?: string };
type Document = {
  readonly exit: number;
  readonly run: string;
  readonly reason: string;
  readonly findings?: Told[];
  readonly warnings?: Told[];
};
const run = async (p: Project, ...args: string[]): Promise<Document> =>
  JSON.parse((await p.cli('run', 'plan.yaml', '--with-uncommitted', '--json', ...args)).stdout);
const dirty = (p: Project) => {
  p.write('readme.md', 'mine\n');
  p.write('new.txt', 'new\n');
  p.git('rm', '--quiet', 'old.txt');
};

test('F13: with --with-uncommitted agents see what no commit holds, and only their own work lands', async () => {
  await using p = await project({
    plan: { tasks: { one: copy } },
    files: { 'old.txt': 'old\n', '.gitignore': 'log/\n' },
  });
  const before = p.git('rev-parse', 'main');
  dirty(p);
  p.write('log/noise.txt', 'ignored\n');
  // a hook or a filter of the person must not run
  p.write('.git/hooks/pre-commit', '#!/bin/sh\ntouch hook-ran\n', 0o755);
  p.write('.git/hooks/post-commit', '#!/bin/sh\ntouch hook-ran\n', 0o755);
  const { exit, warnings = [] } = await run(p, '--yes', '--land');
  expect([exit, warnings.map(({ rule }) => rule)]).toEqual([0, ['hooks-skipped', 'uncommitted-seen']]);

  expect(p.git('show', 'main:one.txt')).toBe('mine\nnew');
  expect(p.git('diff', '--name-only', before, 'main')).toBe('one.txt');
  expect(p.git('rev-parse', 'main~1')).toBe(before);
  // what was uncommitted still is, and nothing else is
  expect(p.git('status', '--porcelain')).toBe('D  old.txt\n M readme.md\n?? new.txt');
  expect(readFileSync(`${p.checkout}/readme.md`, 'utf8')).toBe('mine\n');
  expect(existsSync(`${p.checkout}/hook-ran`)).toBe(false);
  const seen = (await p.events()).flatMap(({ event }) => (event.type === 'run-branch-made' ? [event] : []));
  expect(seen).toMatchObject([{ onto: before }]);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 120_000);

test('F13: work on an uncommitted file lands once that file is committed, and not before', async () => {
  const edit = scripted(`echo more >> new.txt; ${handoff}`, { owns: ['new.txt'] });
  await using p = await project({ plan: { tasks: { one: edit } }, files: { 'old.txt': 'old\n' } });
  dirty(p);
  const first = await run(p, '--yes', '--land');
  expect(first.exit).toBe(43);
  expect(p.git('log', '--format=%s', 'main')).toBe('the plan\nfirst');
  const why = await p.cli('why', first.run);
  expect(why.stdout).toContain('commit');
  expect(readFileSync(`${p.checkout}/new.txt`, 'utf8')).toBe('new\n');

  p.git('add', '-A');
  p.git('commit', '--quiet', '-m', 'mine');
  expect((await p.cli('land', first.run, '--json')).code).toBe(0);
  expect(p.git('show', 'main:new.txt')).toBe('new\nmore');
}, 120_000);

test('F13: a secret, another branch and `land: branch` are refused before anything is made; a clean checkout is no matter', async () => {
  await using p = await project({
    plan: { tasks: { one: scripted(`echo 1 > one.txt; ${handoff}`, { owns: ['one.txt'] }) } },
  });
  expect(await run(p, '--dry-run')).toMatchObject({ exit: 0, warnings: [] });
  const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
  p.write('deploy.env', `TOKEN=${token}\n`);
  const secret = await p.cli('run', 'plan.yaml', '--with-uncommitted', '--yes', '--json');
  expect(JSON.parse(secret.stdout)).toMatchObject({
    exit: 2,
    findings: [{ rule: 'uncommitted-secret', where: 'deploy.env' }],
  });
  expect(secret.stdout + secret.stderr).not.toContain(token);
  p.write('deploy.env', 'TOKEN=\n');
  expect((await run(p, '--yes', '--ci')).findings).toMatchObject([{ rule: 'uncommitted-unfit' }]);
  p.git('switch', '--quiet', '-c', 'aside');
  p.write('plan.yaml', `base: main\n${readFileSync(`${p.checkout}/plan.yaml`, 'utf8')}`);
  expect((await run(p, '--yes')).findings).toMatchObject([{ rule: 'uncommitted-unfit' }]);
  expect(existsSync(`${p.root}/state`)).toBe(false);
}, 60_000);

test('uncommitted changes leave our repository by no branch, also under a plan that lands on one', async () => {
  const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  const two = (script: string) => scripted(script, { owns: ['two.txt'] });
  await using p = await project({ plan: { limits: { attempts: 1 }, tasks: { one, two: two('exit 1') } } });
  p.write('wip.txt', 'mine\n');
  expect((await p.cli('run', 'plan.yaml', '--yes', '--with-uncommitted', '--json')).code).toBe(43);
  p.write('plan.yaml', JSON.stringify({ land: 'branch', tasks: { one, two: two(`echo two > two.txt; ${handoff}`) } }));
  const replanned = await p.cli('resume', '--replan', '--yes', '--land', '--json');
  expect(replanned.code).not.toBe(0);
  expect(`${replanned.stdout}${replanned.stderr}`).toContain('uncommitted');
  expect(p.git('branch', '--list', 'tidegate/*')).toBe('');
}, 120_000);

test('F13: what defines a check is read from what the run starts from, also when it is planned anew', async () => {
  const weaken = scripted(`echo 'exit 0' > ci/unit.sh; ${handoff}`);
  const checks = [{ name: 'test', run: 'sh ci/test.sh' }];
  await using p = await project({
    plan: { checks, limits: { attempts: 1 }, tasks: { one: weaken } },
    files: { 'ci/test.sh': 'true\n' },
  });
  p.write('ci/test.sh', 'sh ci/unit.sh\n');
  p.write('ci/unit.sh', 'test -f readme.md\n');
  const { exit, run: id } = await run(p, '--yes');
  expect(exit).toBe(43);
  expect((await p.cli('why', id)).stdout).toContain('ci/unit.sh: it defines the check test');
  p.git('checkout', '--quiet', 'ci/test.sh');
  p.write('plan.yaml', JSON.stringify({ checks, limits: { attempts: 2 }, tasks: { one: weaken } }));
  expect((await p.cli('resume', '--replan', '--yes', '--json')).code).toBe(43);
  const defined = (await p.events()).flatMap(({ event }) =>
    event.type === 'run-created' || event.type === 'plan-replaced'
      ? [event.plan.checks[0]?.definitions?.map(({ path }) => path)]
      : [],
  );
  const expected = ['ci/test.sh', 'ci/unit.sh', 'tidegate.yaml'];
  expect(defined).toEqual([expected, expected]);
}, 120_000);
