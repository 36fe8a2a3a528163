import { spawn } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { all } from './events-found.ts';
import { attemptProblems, livingJobs } from './job-traces.ts';
import { handoff, project, scripted } from './project.ts';

test('a process that lives on, work that no snapshot has and an attempt that ended twice are found', async () => {
  const task = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  await using p = await project({ plan: { tasks: { one: task } } });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).code).toBe(0);
  const events = await p.events();
  expect([livingJobs(p), attemptProblems(p, events)]).toEqual([[], []]);

  const [job = ''] = globSync(`${p.state().jobs}/*/job.json`);
  const { id, nonce } = JSON.parse(readFileSync(job, 'utf8')) as { id: string; nonce: string };
  const left = spawn('sleep', ['60'], { env: { ...process.env, TIDEGATE_NONCE: nonce } });
  try {
    await new Promise((resolve) => left.once('spawn', resolve));
    expect(livingJobs(p)).toEqual([id]);
  } finally {
    left.kill('SIGKILL');
  }

  writeFileSync(join(dirname(job), 'workspace/late.txt'), 'late\n');
  const [ended] = all(events, 'attempt-ended');
  const twice = events.flatMap((one) => (one.seq === ended?.seq ? [one, one] : [one]));
  expect(attemptProblems(p, twice)).toEqual([
    `${id} ended 2 times`,
    ...Array.from({ length: 2 }, () => `late.txt of ${id} is lost`),
  ]);
});
