import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../src/adapters/process/process-identity.ts';
import { type CommitId, commitId } from '../../src/domain/base/ids.ts';
import { puppet } from '../support/puppet.ts';
import { runOnly } from '../support/run-only.ts';
import { follow, type Scene, supervisedScene, whyOf } from '../support/supervised.ts';

const dist = resolve(import.meta.dirname, '../../dist');

/** Whether any process of this machine was started with these words. */
const runs = (words: string): boolean =>
  readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  });

const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('an attempt', () => {
  test('that hands off leaves exit, handoff and snapshot', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({
      argv: [
        '/bin/sh',
        '-c',
        'cat; cat "$TIDEGATE_BRIEF"; echo new > new.txt; tidegate handoff done -m "made new.txt"',
      ],
    });
    expect(exit.output).toBe('do it\ndo it\nhandoff taken; you may end now\n');
    expect(exit.ending).toEqual({ reason: 'exited', code: 0, signal: null });
    expect(exit.handoff).toMatchObject({
      kind: 'given',
      via: 'socket',
      handoff: { status: 'done', summary: 'made new.txt' },
    });
    expect(exit.snapshot?.diff.map((entry) => [entry.path, entry.change])).toEqual([['new.txt', 'added']]);
    expect(exit.reminded).toBe(false);
  });

  test('that does nothing leaves an empty diff', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({
      argv: ['/bin/sh', '-c', 'tidegate handoff done -m nothing'],
      readOnly: ['.claude'],
    });
    expect(exit.snapshot?.diff).toEqual([]);
  });

  test('that exits 0 without a handoff is reminded once, and then judged', async () => {
    await using scene = await supervisedScene();
    const remembers = 'if [ "$TIDEGATE_REMINDER" = 1 ]; then cat; tidegate handoff done -m late; fi';
    const late = await scene.run({ argv: ['/bin/sh', '-c', remembers] });
    expect(late).toMatchObject({ reminded: true, handoff: { kind: 'given', handoff: { summary: 'late' } } });
    expect(late.output).toContain('tidegate handoff partial');
    const never = await scene.run({ argv: ['/bin/sh', '-c', 'echo once'] });
    expect(never).toMatchObject({ reminded: true, handoff: { kind: 'absent' }, output: 'once\nonce\n' });
  });

  test('that fails is not reminded, whatever it handed off', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({ argv: ['/bin/sh', '-c', 'tidegate handoff done -m perfect; exit 3'] });
    expect(exit).toMatchObject({ reminded: false, ending: { reason: 'exited', code: 3 }, handoff: { kind: 'given' } });
  });

  test('that leaves a stale file has handed off nothing', async () => {
    const stale = JSON.stringify({ status: 'done', summary: 'x', nonce: 'of-another-attempt' });
    await using scene = await supervisedScene({ '.tidegate/handoff.json': stale });
    const exit = await scene.run({ argv: ['/bin/true'] });
    expect(exit.handoff).toMatchObject({ kind: 'invalid' });
  });

  test('cannot approve, land or grant; each try is recorded', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({
      argv: ['/bin/sh', '-c', 'tidegate approve demo-ab12; echo $?; tidegate land; tidegate handoff done -m x'],
    });
    expect(exit.refusals).toEqual(['approve demo-ab12', 'land']);
    expect(exit.output).toMatch(/refused: only a person/);
    expect(exit.output).toMatch(/^2$/m);
  });

  test('whose workspace cannot be made is a failed launch, with what failed as data', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({ argv: ['/bin/true'], from: commitId('0'.repeat(39).concat('1')) });
    expect(exit.ending).toMatchObject({
      reason: 'launch-failed',
      because: { rule: 'workspace-not-made', because: { rule: 'git-failed', words: expect.stringContaining('fatal') } },
    });
    expect(whyOf(exit)).toMatch(/^the workspace could not be created: git .* failed \(128\): fatal/);
  });

  test('whose program does not exist is a failed launch', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({ argv: ['no-such-program'] });
    expect(exit.ending).toMatchObject({
      reason: 'launch-failed',
      because: { rule: 'program-missing', program: 'no-such-program' },
    });
  });

  test('runs setup first, and a setup that fails is no attempt', async () => {
    await using scene = await supervisedScene();
    const good = await scene.run({
      setup: 'mkdir -p node_modules && echo built > node_modules/x',
      argv: ['/bin/sh', '-c', 'cat node_modules/x; tidegate handoff done -m x'],
    });
    expect(good.output).toContain('built\n');
    const bad = await scene.run({ setup: 'echo no network >&2; exit 7', argv: ['/bin/sh', '-c', 'echo ran'] });
    expect(bad.ending).toMatchObject({ reason: 'setup-failed', code: 7 });
    expect(whyOf(bad)).toContain('no network');
    expect(bad.output).not.toContain('ran');
  });

  test('shares what setup made with the next workspace of the same manifests, but not what it changed', async () => {
    await using scene = await supervisedScene({ 'package.json': '{}\n', 'a/readme.md': 'x\n' });
    const argv = ['/bin/sh', '-c', 'cat a/lib/x; test -L l; echo $?; tidegate handoff done -m x'];
    const setup = 'mkdir -p a/lib && echo built > a/lib/x && ln -s a/lib l && echo ran setup';
    const [first, second] = [await scene.run({ setup, argv }), await scene.run({ setup, argv })];
    expect(first.output).toBe('ran setup\nbuilt\n0\nhandoff taken; you may end now\n');
    expect(second.output).toBe('built\n0\nhandoff taken; you may end now\n');
    expect(second.snapshot?.diff).toEqual(first.snapshot?.diff);
    const others = await scene.run({ setup, argv, isPersons: false });
    expect(others.output).toContain('ran setup');
    const changing = 'echo changed >> a/readme.md; echo ran setup';
    for (let run = 0; run < 2; run += 1)
      expect((await scene.run({ setup: changing, argv: ['/bin/false'] })).output).toBe('ran setup\n');
  });

  test('S7: makes what setup makes again when what it is made from has changed', async () => {
    await using scene = await supervisedScene({ 'package.json': '{}\n', 'src/v': '1\n', other: 'x\n' });
    const argv = ['/bin/sh', '-c', 'cat out/v; tidegate handoff done -m x'];
    const setup = 'mkdir -p out; cp src/v out/v; echo ran setup';
    const handed = 'handoff taken; you may end now\n';
    const outputs = async (options: object): Promise<string> => (await scene.run({ argv, setup, ...options })).output;
    expect(await outputs({})).toBe(`ran setup\n1\n${handed}`);
    expect(await outputs({})).toBe(`1\n${handed}`);
    const inputs = { setupInputs: ['src/**'] };
    const commit = (files: Record<string, string>): CommitId => {
      const made = scene.repo.commit('next', files);
      runOnly('git', ['--git-dir', scene.job().repository, 'fetch', '-q', scene.repo.path, 'HEAD'], '/');
      return made;
    };
    expect(await outputs(inputs)).toBe(`ran setup\n1\n${handed}`);
    const other = commit({ other: 'y\n' });
    expect(await outputs({ ...inputs, from: other, base: other })).toBe(`1\n${handed}`);
    const changed = commit({ 'src/v': '2\n' });
    const there = { from: changed, base: changed };
    expect(await outputs(there)).toBe(`ran setup\n2\n${handed}`);
    expect(await outputs({ ...inputs, ...there })).toBe(`ran setup\n2\n${handed}`);
  });

  test('is torn down after its snapshot', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({
      teardown: 'rm -f made; echo down',
      argv: ['/bin/sh', '-c', 'echo x > made; tidegate handoff done -m x'],
    });
    expect(exit.snapshot?.diff.map((entry) => entry.path)).toEqual(['made']);
    expect(exit.output).toContain('down\n');
  });
});

describe('a check', () => {
  test('has an exit code and a log, and neither handoff nor snapshot nor reminder', async () => {
    await using scene = await supervisedScene();
    const check = { kind: 'check' as const, brief: '', argv: ['/bin/sh', '-c', 'cat readme.md; echo x > made'] };
    const good = await scene.run(check);
    expect(good).toMatchObject({ output: 'hello\n', reminded: false, snapshot: null, snapshotProblem: null });
    expect(good.ending).toMatchObject({ reason: 'exited', code: 0 });
    const bad = await scene.run({ ...check, argv: ['/bin/sh', '-c', 'command -v tidegate; kill -SEGV $$'] });
    expect(bad).toMatchObject({ output: '', ending: { reason: 'exited', code: 139 } });
  });
});

describe('the end of an attempt', () => {
  test('takes daemons with it that forked twice into sessions of their own', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({
      argv: ['/bin/sh', '-c', '(setsid sh -c "setsid sleep 7654321 &" &) ; sleep 0.05; tidegate handoff done -m x'],
    });
    expect(exit.ending.reason).toBe('exited');
    expect(runs('sleep 7654321')).toBe(false);
  });

  test('comes at the time limit and at silence, and the work is snapshotted', async () => {
    await using scene = await supervisedScene();
    // it looks for an answer that never comes
    const noisy = 'echo x > kept; while :; do tidegate inbox; done';
    const [late, silent] = await Promise.all([
      scene.run({ argv: ['/bin/sh', '-c', noisy], minutes: 0.01, silence: 1 }),
      scene.run({ argv: ['/bin/sh', '-c', 'echo x > kept; sleep 600'], minutes: 1, silence: 0.01 }),
    ]);
    expect(late.ending.reason).toBe('timed-out');
    expect(silent.ending.reason).toBe('silent');
    for (const exit of [late, silent]) expect(exit.snapshot?.diff.map((entry) => entry.path)).toEqual(['kept']);
  });

  test('is asked for by TERM; one that ignores it is killed after 3 s', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    const stopWhenReady = async (script: string) => {
      const job = scene.job({ argv: ['/bin/sh', '-c', script] });
      const attempt = follow(supervisors, job);
      await attempt.started;
      await untilOutput(scene, job, 'ready');
      const began = performance.now();
      await supervisors.stop(job.id, 'stopped');
      const { record } = await attempt.ended;
      await supervisors.acknowledge(job.id);
      return { record, took: performance.now() - began };
    };
    const polite = await stopWhenReady('trap "echo bye > bye; exit 0" TERM; echo ready; while :; do sleep 0.01; done');
    expect(polite.record.ending.reason).toBe('stopped');
    expect(polite.record.snapshot?.diff.map((entry) => entry.path)).toEqual(['bye']);
    const rude = await stopWhenReady('trap "" TERM; echo ready; while :; do sleep 1; done');
    expect(rude.record.ending.reason).toBe('stopped');
    expect(rude.took).toBeGreaterThan(2_900);
  });

  test('of 1 GB of output, and of 300 MB in one line, costs neither memory nor the log its bounds', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    for (const [name, script, bytes] of [
      ['1 GB of lines', 'yes | head -c 1073741824', 2 ** 30],
      ['one line of 300 MB', 'head -c 314572800 /dev/zero | tr "\\0" x', 300 * 2 ** 20],
    ] as const) {
      const job = scene.job({ argv: ['/bin/sh', '-c', `${script}; exit 1`] });
      const began = performance.now();
      const attempt = follow(supervisors, job);
      const { pid } = await attempt.started;
      const { record } = await attempt.ended;
      const peak = peakMegabytes(pid);
      console.log(`${name}: ${Math.round(performance.now() - began)} ms, supervisor at most ${peak.toFixed(0)} MB`);
      expect(peak).toBeLessThan(150);
      expect(record.log.bytes).toBe(bytes);
      expect(record.log.kept).toBeLessThan(11 * 2 ** 20);
      await supervisors.acknowledge(job.id);
    }
  });
});

describe('a supervisor', () => {
  test('goes on when its coordinator is killed; the next one gets the whole output and the exit', async () => {
    await using scene = await supervisedScene();
    await using agent = await puppet(join(scene.repo.home, 'p'));
    const job = scene.job(agent.job);
    const coordinator = killableCoordinator(scene, job);
    const invocation = await agent.nextInvocation();
    await invocation.sh('echo before > before');
    coordinator.kill('SIGKILL');
    await once(coordinator, 'exit');
    await invocation.sh('echo after > after');
    const supervisors = scene.coordinator();
    const attempt = follow(supervisors, job);
    expect((await attempt.started).pid).toBe(scene.files(job).supervisor()?.pid);
    await invocation.handoff();
    invocation.exit(0);
    const { record } = await attempt.ended;
    expect(record.snapshot?.diff.map((entry) => entry.path)).toEqual(['after', 'before']);
    expect(record.reminded).toBe(false);
    await supervisors.acknowledge(job.id);
  });

  test('that ended while no coordinator was there is found by its files', async () => {
    await using scene = await supervisedScene();
    const job = scene.job({ argv: ['/bin/sh', '-c', 'tidegate handoff done -m x'] });
    const first = scene.coordinator();
    await follow(first, job).ended;
    await first.detach();
    const supervisors = scene.coordinator();
    expect((await follow(supervisors, job).ended).record.ending).toMatchObject({ reason: 'exited', code: 0 });
    await supervisors.acknowledge(job.id);
    await gone(scene, job);
    const again = scene.coordinator();
    expect((await follow(again, job).ended).record.ending).toMatchObject({ reason: 'exited', code: 0 });
  });

  test('that is killed takes its fence along; what was there is snapshotted as lost', async () => {
    await using scene = await supervisedScene();
    await using agent = await puppet(join(scene.repo.home, 'p'));
    const supervisors = scene.coordinator();
    const job = scene.job({ ...agent.job, readOnly: ['.mcp.json'] });
    const attempt = follow(supervisors, job);
    const invocation = await agent.nextInvocation();
    // As if it had been killed before it took the canary out again.
    await invocation.sh('echo canary > .tidegate-canary-$TIDEGATE_NONCE');
    await invocation.sh('echo work > work; setsid sleep 7654322 >/dev/null 2>&1 & true');
    process.kill((await attempt.started).pid, 'SIGKILL');
    const { record } = await attempt.ended;
    expect(record.ending).toMatchObject({ reason: 'lost', code: null });
    expect(record.snapshot?.diff.map((entry) => entry.path)).toEqual(['work']);
    expect(runs('sleep 7654322')).toBe(false);
    expect(scene.files(job).exit()?.ending.reason).toBe('lost');
  });

  test('is one of many that were started for a job: the agent starts once', async () => {
    await using scene = await supervisedScene();
    const counted = join(scene.repo.home, 'counted');
    mkdirSync(counted, { mode: 0o777 });
    chmodSync(counted, 0o777);
    const job = scene.job({
      argv: ['/bin/sh', '-c', `echo start >> ${counted}/starts; tidegate handoff done -m x`],
      fence: { mode: 'auto', network: 'off', read: [], write: [counted], env: [] },
    });
    const coordinators = [scene.coordinator(), scene.coordinator(), scene.coordinator()];
    const records = await Promise.all(coordinators.map((one) => follow(one, job).ended));
    expect(records.map(({ record }) => record.ending.code)).toEqual([0, 0, 0]);
    expect(readFileSync(join(counted, 'starts'), 'utf8')).toBe('start\n');
    await coordinators[0]?.acknowledge(job.id);
  });

  test('that no coordinator attends ends the attempt, snapshots it and leaves', async () => {
    await using scene = await supervisedScene();
    await using agent = await puppet(join(scene.repo.home, 'p'));
    const job = scene.job(agent.job);
    const supervisors = scene.coordinator({ TIDEGATE_ABANDON_SECONDS: '0.2' });
    const attempt = follow(supervisors, job);
    const invocation = await agent.nextInvocation();
    await attempt.started;
    await invocation.sh('echo work > work');
    await supervisors.detach();
    await gone(scene, job);
    const { record } = await follow(scene.coordinator(), job).ended;
    expect(record.ending.reason).toBe('abandoned');
    expect(record.snapshot?.diff.map((entry) => entry.path)).toEqual(['work']);
  });

  test('stops cleanly on SIGTERM', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    const job = scene.job({ argv: ['/bin/sh', '-c', 'echo x > x; sleep 600'] });
    const attempt = follow(supervisors, job);
    const { pid } = await attempt.started;
    process.kill(pid, 'SIGTERM');
    const { record } = await attempt.ended;
    expect(record.ending.reason).toBe('stopped');
    await supervisors.acknowledge(job.id);
    await gone(scene, job);
    expect(existsSync(join(scene.repo.home, 'run')) && readdirSync(join(scene.repo.home, 'run'))).toEqual([]);
  });
});

/** A coordinator in a process of its own, so that it can be killed. */
function killableCoordinator(scene: Scene, job: ReturnType<Scene['job']>) {
  const script = `
    const { processSupervisors } = await import(${JSON.stringify(`${dist}/adapters/supervisors/index.js`)});
    const supervisors = processSupervisors({ jobs: ${JSON.stringify(scene.jobs)}, node: process.execPath,
      program: ${JSON.stringify(`${dist}/main/supervisor.js`)}, environment: process.env });
    await supervisors.ensure(${JSON.stringify(job)}, () => undefined);
    setInterval(() => undefined, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 5));
}

const gone = (scene: Scene, job: ReturnType<Scene['job']>): Promise<void> =>
  until(() => {
    const record = scene.files(job).supervisor();
    return record !== null && !isAlive(record);
  });

const untilOutput = (scene: Scene, job: ReturnType<Scene['job']>, text: string): Promise<void> =>
  until(() => readFileSync(scene.files(job).output, 'utf8').includes(text));
