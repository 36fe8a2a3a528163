import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { processesWith } from '../support/processes.ts';
import { handoff, project } from '../support/project.ts';
import { runOnly } from '../support/run-only.ts';
import { openStage, person } from '../support/staged-run.ts';
import { inSnapshot } from '../support/tries.ts';

describe('an agent that takes too much', () => {
  // Without root the limit would count the processes of the person who runs the tests.
  test.runIf(process.getuid?.() === 0)('of processes: a fork bomb is bounded and dies with its attempt', async () => {
    const marker = `bomb-${process.pid}-${Date.now()}`;
    // While the bomb holds every process of its job nothing can be started there, so the shell waits and writes by itself.
    const wait = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done';
    const bomb = `sh -c 'f() { sleep 100 & f | f & wait; }; f' ${marker} >/dev/null 2>&1 & ${wait}; echo x > bomb.txt`;
    await using scene = await project({
      plan: {
        land: 'auto',
        limits: { attempts: 1, parallel: 2 },
        tasks: { bomb: rogue(bomb, { owns: ['bomb.txt'] }), honest },
      },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    const { child } = await stage.coordinator();
    runOnly('prlimit', ['--pid', String(child.pid), '--nproc=120:120'], '/');
    await run.until(({ taps }) => taps.start?.status === 'pending');
    await run.request({
      type: 'requested-approve',
      tap: 'start',
      hash: run.hash,
      at: new Date().toISOString(),
      by: person,
    });
    let most = 0;
    const looks = setInterval(() => {
      most = Math.max(most, processesWith(marker).length);
    }, 50);
    await run.until((seen) =>
      ['held', 'failed', 'merged', 'ready'].includes(seen.tasks['bomb' as never]?.progress.status ?? ''),
    );
    clearInterval(looks);

    expect(processesWith(marker)).toEqual([]);
    expect(most).toBeGreaterThan(20);
    expect(most).toBeLessThan(121);
    const end = await run.settled();
    expect(fateOf(end, 'honest')).toEqual(['merged']);
  });

  test('of disk and output: a sparse file and an endless line are held or bounded by name', async () => {
    const own = (name: string) => ({ owns: [`${name}/**`] });
    await using scene = await project({
      plan: {
        land: 'auto',
        limits: { attempts: 1 },
        tasks: {
          sparse: rogue(
            `mkdir sparse; echo x > sparse/x; truncate -s 200G sparse/huge || truncate -s 60G sparse/huge; ${handoff}`,
            own('sparse'),
          ),
          endless: rogue(
            `mkdir endless; echo x > endless/x; head -c 200000000 /dev/zero | tr '\\0' 'x'; ${handoff}`,
            own('endless'),
          ),
          garbage: rogue(
            `mkdir garbage; echo x > garbage/x; printf '\\377\\000\\033]0;title\\007\\033[2J'; printf 'half a line'; ${handoff}`,
            own('garbage'),
          ),
          honest,
        },
      },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    expect(fateOf(state, 'sparse')).toEqual(['held', 'too-large sparse/huge']);
    expect(fateOf(state, 'endless')).toEqual(['merged']);
    expect(fateOf(state, 'garbage')).toEqual(['merged']);
    const log = join(stage.state.job('attack-abcd.endless.1'), 'output.log');
    expect(statSync(log).size).toBeLessThan(11 << 20);
    const ended = (await run.events()).flatMap(({ event }) => (event.type === 'attempt-ended' ? [event] : []));
    expect(ended.find(({ task }) => task === 'endless')?.log.bytes).toBeGreaterThan(200_000_000);
    expect((await run.drop('sparse')).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A endless/x', 'A garbage/x', 'A honest.txt']);
  });

  test('of files: thousands are held by the limit, and kept', async () => {
    const flood = `mkdir flood; cd flood; seq 3000 | split -l 1 -a 4; cd ..; ${handoff}`;
    await using scene = await project({
      plan: {
        land: 'auto',
        limits: { attempts: 1, files: 1000 },
        tasks: { flood: rogue(flood, { owns: ['flood/**'] }), honest },
      },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();
    expect(fateOf(state, 'flood')).toEqual(['held', 'files']);
    expect(inSnapshot(stage.state, 'attack-abcd.flood.1', 'flood/xaaaa')).toBe('1');
    expect((await run.drop('flood')).ended).toBe('landed');
  });
});
