import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { taskId } from '../../src/domain/base/ids.ts';
import { honest } from '../support/crew.ts';
import { project } from '../support/project.ts';
import { openStage, person } from '../support/staged-run.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** A coordinator that is stopped in the middle of a write: it holds the epoch and the ledger's lock, and does not go on. */
async function stoppedWriter(ledger: string): Promise<ChildProcess> {
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    import { openSqliteLedger } from '${dist}adapters/ledger/sqlite/index.js';
    import { identify } from '${dist}adapters/process/process-identity.js';
    const ledger = await openSqliteLedger(process.argv[1]);
    await ledger.takeEpoch({ ...identify(), socket: '' }, () => false);
    new DatabaseSync(process.argv[1]).exec('begin immediate');
    console.log('stopped');
    process.kill(process.pid, 'SIGSTOP');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ledger], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

// 15 seconds of the first are waiting.
describe.concurrent('a coordinator that is stopped inside a transaction', () => {
  test('keeps nobody waiting for ever: every command ends with one line, and works when it goes on', async () => {
    await using scene = await project({ plan: { tasks: { honest } } });
    expect(await scene.cli('run', 'plan.yaml')).toMatchObject({ code: 43 });
    const stopped = await stoppedWriter(scene.state().ledger);
    try {
      const commands = [['status'], ['approve'], ['stop'], ['run', 'plan.yaml', '--yes'], ['coordinate']];
      const all = await Promise.all(commands.map((args) => scene.cli(...args)));
      const line =
        /^tidegate: the ledger \S+ cannot be used now: another process holds the write lock and does not finish\..*\n$/;
      for (const ended of all) expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
    } finally {
      stopped.kill('SIGKILL');
    }
    expect(await scene.cli('status')).toMatchObject({ code: 0, stderr: '' });
  });
});

test.concurrent('ten thousand requests of a local process delay a run, and do not stop it', async () => {
  await using scene = await project({ plan: { land: 'auto', tasks: { honest } } });
  await using stage = await openStage(scene);
  const run = await stage.order();
  await stage.coordinator();
  await run.until(({ taps }) => taps.start?.status === 'pending');
  const landed = new Promise<void>((resolve) => {
    stage.ledger.subscribe(0, ({ event }) => {
      if (event.type === 'run-ended' && event.outcome === 'landed') resolve();
    });
  });
  const nonsense = { type: 'requested-retry', task: taskId('nobody'), by: person } as const;
  await Promise.all(Array.from({ length: 10_000 }, () => run.request(nonsense)));
  await run.request({
    type: 'requested-approve',
    tap: 'start',
    hash: run.hash,
    at: new Date().toISOString(),
    by: person,
  });
  await landed;
  const answers = (await run.events()).filter(({ event }) => event.type === 'request-refused');
  expect(answers).toHaveLength(10_000);
});

test.concurrent('of many coordinators that start at once one drives, also when the one before it was killed', async () => {
  await using scene = await project({ plan: { land: 'auto', tasks: { honest } } });
  await using stage = await openStage(scene);
  const run = await stage.order();
  const race = async () => await Promise.all(Array.from({ length: 5 }, () => stage.coordinator()));
  const words = (started: Awaited<ReturnType<typeof race>>) => started.map(({ said }) => said).toSorted();
  const first = await race();
  expect(words(first)).toEqual(['held', 'held', 'held', 'held', 'hosting 1']);
  await run.until(({ taps }) => taps.start?.status === 'pending');
  const host = first.find(({ said }) => said === 'hosting 1');
  host?.child.kill('SIGKILL');
  await host?.over;
  expect(words(await race())).toEqual(['held', 'held', 'held', 'held', 'hosting 2']);
  expect((await run.approve()).ended).toBe('landed');
  const intended = (await run.events()).filter(({ event }) => event.type === 'attempt-intended');
  expect(intended).toHaveLength(1);
});
