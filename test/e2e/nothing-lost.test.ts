import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Stored } from '../../src/ports/ledger.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { isReachable, ordinary } from '../support/stranger.ts';

const jobFile = (p: Project, task: string, file: string) =>
  globSync(join(p.root, `state/*/jobs/*.${task}.*/workspace/${file}`));
const snapshotted = (p: Project, job: string) =>
  p
    .git('--git-dir', p.state().repository, 'ls-tree', '-r', `refs/tidegate/attempts/${job}`)
    .split('\n')
    .map((line) => line.replace(/ blob [0-9a-f]+\t/, ' '));

describe.skipIf(!isReachable)('S2: what an agent does with modes costs nothing', { timeout: 180_000 }, () => {
  test.each(['555', '000'])(
    'S2: `chmod %s .` as an ordinary user: a snapshot, one launch, and it lands',
    async (mode) => {
      const script = `mkdir -p x/closed ~/h; echo 1 > x/z; echo 2 > run.sh; chmod 755 run.sh; echo 3 > x/closed/s; chmod 111 x/closed/s; chmod 000 x/closed ~/h .tidegate 2>/dev/null || true; ${handoff}; chmod ${mode} . ~`;
      const one = scripted(script, { owns: ['x/**', 'run.sh'] });
      const plan = { land: 'auto', limits: { attempts: 1 }, tasks: { one } };
      await using p = await project({ plan, as: ordinary });
      const run = await p.cli('run', 'plan.yaml', '--yes', '--json');
      const document = JSON.parse(run.stdout);
      expect(run.stdout + run.stderr).not.toMatch(/at .*\.js:\d+/);
      expect((await p.events()).filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(1);
      expect(run.code).toBe(0);
      expect(snapshotted(p, `${document.run}.one.1`)).toEqual(
        expect.arrayContaining(['100755 run.sh', '100755 x/closed/s', '100644 x/z', '100644 readme.md']),
      );
      expect(p.git('show', 'main:x/z')).toBe('1');
    },
  );
});

const big = 'head -c 101000000 /dev/zero > big.bin';
const odd = 'echo odd > "$(printf \'caf\\351\')"';
const first = (script: string) => `case $TIDEGATE_ATTEMPT in *.1) ${script}; exit 1;; esac`;
const workspaces = (p: Project, job: string) => globSync(join(p.root, `state/*/jobs/${job}/workspace`));
const keptOf = async (p: Project, run: string): Promise<readonly string[]> =>
  JSON.parse((await p.cli('status', run, '--json')).stdout).kept.map(({ path }: { path: string }) => path);

describe('S4: what no snapshot holds stays until it is discarded by name', { timeout: 180_000 }, () => {
  test('S4: across a retry, the landing, clean and the disk cap; discarding the largest lets work start again', async () => {
    const script = `${first(`${big}; ${odd}; echo half > half.txt`)}; echo done > done.txt; ${handoff}`;
    const one = scripted(script, { owns: ['half.txt', 'done.txt'] });
    await using p = await project({ plan: { land: 'auto', limits: { attempts: 2 }, tasks: { one } } });
    const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
    expect(ran.code).toBe(0);
    const { run } = JSON.parse(ran.stdout);
    const job = `${run}.one.1`;
    expect(await keptOf(p, run)).toEqual(['"caf\\351"', 'big.bin']);
    const status = (await p.cli('status', run)).stdout;
    expect(status).toContain(`tidegate clean --discard ${run}/one big.bin`);
    expect(status).toContain(`tidegate clean --discard ${run}/one '"caf\\351"'`);
    expect((await p.cli('rescue', run)).stdout).toContain(`in no snapshot: big.bin of ${job}`);

    const cleaned = await p.cli('clean');
    expect(cleaned.stdout).toContain(`${job}: no snapshot holds "caf\\351"`);
    expect(workspaces(p, `${run}.one.2`)).toEqual([]);
    expect(jobFile(p, 'one', 'big.bin')).toHaveLength(1);

    const two = scripted(`echo two > two.txt; ${handoff}`, { owns: ['two.txt'] });
    p.write('second.yaml', stringify({ land: 'auto', tasks: { two } }));
    const second = ended(p.start(['run', 'second.yaml', '--yes', '--json'], { TIDEGATE_DISK_CAP: '50MB' }));
    const isOverCap = ({ event }: Stored) =>
      event.type === 'starts-suspended' && event.because.rule === 'disk-over-cap';
    while (!(await p.events()).some(isOverCap)) await nextLook(50);
    const why = (await p.cli('why')).stdout;
    expect(why).toContain(`the largest file in no snapshot is big.bin of ${run}/one (101.0 MB)`);
    expect(why).toContain(`tidegate clean --discard ${run}/one big.bin`);
    expect(jobFile(p, 'one', 'big.bin')).toHaveLength(1);

    expect(await p.cli('clean', '--discard', `${run}/one`, 'big.bin')).toMatchObject({ code: 0 });
    expect(jobFile(p, 'one', 'big.bin')).toEqual([]);
    expect(await second).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:two.txt')).toBe('two');

    expect(await keptOf(p, run)).toEqual(['"caf\\351"']);
    await p.cli('clean');
    expect(workspaces(p, job)).toHaveLength(1);
    const refused = await p.cli('clean', '--discard', `${run}/one`, 'half.txt');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`half.txt is not a kept file of ${run}/one`),
    });
    expect(await p.cli('clean', '--discard', `${run}/one`, '"caf\\351"')).toMatchObject({ code: 0 });
    expect(await keptOf(p, run)).toEqual([]);
    await p.cli('clean');
    expect(workspaces(p, job)).toEqual([]);
  });

  test('S4: `drop`, while the run is open or after it has ended, and `clean` remove nothing that is in no snapshot', async () => {
    const nested = 'mkdir -p sub/.git; echo work > sub/.git/work';
    const tasks = {
      one: scripted(`${nested}; ${handoff}`, { owns: ['sub/**'] }),
      two: scripted(`${big}; exit 1`, { owns: ['big.bin'] }),
    };
    await using p = await project({ plan: { limits: { attempts: 1 }, tasks } });
    const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
    expect((await p.cli('drop', `${run}/one`)).stdout).toContain('Its work is kept');
    await p.cli('abandon', run);
    await p.cli('drop', `${run}/two`);
    await p.cli('clean');
    expect(readFileSync(jobFile(p, 'one', 'sub/.git/work')[0] ?? '', 'utf8')).toBe('work\n');
    expect(jobFile(p, 'two', 'big.bin')).toHaveLength(1);
    expect(await keptOf(p, run)).toEqual(expect.arrayContaining(['sub/.git', 'big.bin']));
    // everything that a task left, by one word
    expect(await p.cli('clean', '--discard', `${run}/one`, '.')).toMatchObject({ code: 0 });
    expect(await p.cli('clean', '--discard', `${run}/two`, 'big.bin')).toMatchObject({ code: 0 });
    await p.cli('clean');
    expect(workspaces(p, `${run}.*`)).toEqual([]);
  });
});

test('S4: of more than 1,000 files that no snapshot can hold, the whole workspace is kept under one name', {
  timeout: 180_000,
}, async () => {
  const flood = 'i=0; while [ $i -le 1000 ]; do echo $i > "$(printf \'f\\351%d\' $i)"; i=$((i+1)); done';
  const one = scripted(`${flood}; ${handoff}`, { owns: ['**'] });
  await using p = await project({ plan: { limits: { attempts: 1 }, tasks: { one } } });
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
  expect(await keptOf(p, run)).toEqual(['.']);
  const [ended] = (await p.events()).flatMap(({ event }) => (event.type === 'attempt-ended' ? [event] : []));
  expect(ended).toMatchObject({ snapshot: null, snapshotProblem: { rule: 'too-many-refused', most: 1000 } });
  const why = 'the workspace could not be snapshotted: more than 1000 files cannot be part of a snapshot';
  expect((await p.cli('why', `${run}/one`)).stdout).toContain(why);
  expect((await p.cli('status', run)).stdout).toContain(`in no snapshot: . of ${run}.one.1: ${why}`);
  expect((await p.cli('rescue', run)).stdout).toContain(`in no snapshot: . of ${run}.one.1: ${why}`);
  await p.cli('clean');
  expect(readdirSync(workspaces(p, `${run}.one.1`)[0] ?? '', 'latin1')).toContain('f\u00e91000');
  const discarded = await p.cli('clean', '--discard', `${run}/one`, '.');
  expect(discarded).toMatchObject({ code: 0, stdout: expect.stringContaining(`next: tidegate retry ${run}/one`) });
  expect(globSync(join(p.root, `state/*/jobs/${run}.one.1/workspace{,.objects}`))).toEqual([]);
});

test('S4: a task that left a file that is too large goes on without it, and the file stays until it is discarded', {
  timeout: 180_000,
}, async () => {
  const one = scripted(`${big}; ${odd}; echo work > work.txt; ${handoff}`);
  await using p = await project({ plan: { land: 'auto', limits: { attempts: 1 }, tasks: { one } } });
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
  const why = (await p.cli('why', `${run}/one`)).stdout;
  expect(why).toContain(`tidegate drop ${run}/one '"caf\\351"' big.bin`);
  expect(await p.cli('drop', `${run}/one`, '"caf\\351"', 'big.bin')).toMatchObject({ code: 0 });
  expect(await p.cli('resume', run)).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:work.txt')).toBe('work');
  await p.cli('clean');
  expect(await keptOf(p, run)).toEqual(['"caf\\351"', 'big.bin']);
  expect(jobFile(p, 'one', 'big.bin')).toHaveLength(1);
});

describe.skipIf(!isReachable)('S11: clean', { timeout: 180_000 }, () => {
  test('S11: removes workspaces with read-only directories, as an ordinary user, beside a coordinator that does too', async () => {
    const closed = 'mkdir -p ignored/a/b; touch ignored/a/b/c ignored/d; chmod 555 ignored/a/b ignored/a ignored';
    const one = scripted(`${closed}; echo x > x.txt; ${handoff}`, { owns: ['x.txt'] });
    const files = { '.gitignore': 'ignored/\n' };
    await using p = await project({ files, plan: { land: 'auto', tasks: { one } }, as: ordinary });
    const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
    expect(workspaces(p, `${run}.one.1`)).toHaveLength(1);
    const both = await Promise.all([p.cli('clean'), p.cli('clean')]);
    expect(both).toEqual([
      { code: 0, stdout: expect.any(String), stderr: expect.not.stringMatching(/EACCES|ENOENT/) },
      { code: 0, stdout: expect.any(String), stderr: expect.not.stringMatching(/EACCES|ENOENT/) },
    ]);
    expect(workspaces(p, `${run}.one.1`)).toEqual([]);
  });
});
