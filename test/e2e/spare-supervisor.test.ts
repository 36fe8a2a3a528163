import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { follow, supervisedScene } from '../support/supervised.ts';

const dist = resolve(import.meta.dirname, '../../dist');
const hello = ['/bin/sh', '-c', 'echo hello'];

describe('the supervisor that waits while agents work', () => {
  test('takes the next job, with a log and an exit like any other', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    const [first, second] = [scene.job({ argv: hello }), scene.job({ argv: hello })];
    await follow(supervisors, first).ended;
    const waiting = await untilWaiting(scene.jobs);
    const attempt = follow(supervisors, second);
    expect([(await attempt.started).pid]).toEqual(waiting);
    expect((await attempt.ended).record.ending.code).toBe(0);
    expect(existsSync(`${scene.files(second).path}/supervisor.log`)).toBe(true);
    for (const job of [first, second]) await supervisors.acknowledge(job.id);
  });

  test('leaves when its coordinator lets go, and takes its log along', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    const job = scene.job({ argv: hello });
    await follow(supervisors, job).ended;
    await untilWaiting(scene.jobs);
    await supervisors.acknowledge(job.id);
    await supervisors.detach();
    await until(() => waitingFor(scene.jobs).length === 0);
    expect(readdirSync(dirname(scene.jobs)).filter((name) => name.includes('next'))).toEqual([]);
  });

  test('leaves when its coordinator is killed', async () => {
    await using scene = await supervisedScene();
    const script = `
      const { processSupervisors } = await import(${JSON.stringify(`${dist}/adapters/supervisors/index.js`)});
      const supervisors = processSupervisors({ jobs: ${JSON.stringify(scene.jobs)}, node: process.execPath,
        program: ${JSON.stringify(`${dist}/main/supervisor.js`)}, environment: process.env });
      await supervisors.ensure(${JSON.stringify(scene.job({ argv: hello }))}, ({ type }) => {
        if (type === 'ended') setTimeout(() => undefined, 60_000);
      });`;
    const coordinator = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    await untilWaiting(scene.jobs);
    coordinator.kill('SIGKILL');
    await until(() => waitingFor(scene.jobs).length === 0);
  });
});

async function untilWaiting(jobs: string): Promise<readonly number[]> {
  await until(() => waitingFor(jobs).length > 0);
  return waitingFor(jobs);
}

/** Processes that were started to wait for a job below this directory, and have none yet or had to wait for it. */
const waitingFor = (jobs: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(`--wait\0${jobs}\0`))
    .map(Number);

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 5));
}
