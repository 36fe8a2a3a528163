import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { explain } from '../../src/domain/explain/explain.ts';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { processesWith } from '../support/processes.ts';
import { handoff, project } from '../support/project.ts';
import { openStage, person } from '../support/staged-run.ts';
import { inSnapshot } from '../support/tries.ts';

const file = (fields: string): string => `mkdir -p .tidegate; printf '%s' '${fields}' > .tidegate/handoff.json`;
const whole = (nonce: string, more = ''): string =>
  `{"status":"done","summary":"s","remaining":[],"files":[],"proofs":[],"questions":[],"nonce":"${nonce}"${more}}`;
const zeros = '0'.repeat(32);

describe('pattern D: ready is what git and the supervisor saw', () => {
  test('no claim of an agent makes its task ready: each is refused with its reason, and its work is kept', async () => {
    const owns = (name: string) => ({ owns: [`${name}.txt`] });
    const work = (name: string, script: string) => rogue(`echo work > ${name}.txt\n${script}`, owns(name));
    await using scene = await project({
      plan: {
        land: 'auto',
        limits: { attempts: 1, parallel: 6 },
        tasks: {
          silent: work('silent', 'echo "STATUS: done"; exit 0'),
          stale: work('stale', file(whole(zeros))),
          sibling: work('sibling', file(whole(zeros, ',"task":"honest","run":"attack-abcd"'))),
          named: work(
            'named',
            `${file('')}; printf '{"status":"done","summary":"s","nonce":"%s","task":"honest"}' $TIDEGATE_NONCE > .tidegate/handoff.json`,
          ),
          forged: work('forged', `echo '${whole(zeros)}' | tidegate handoff --json - ; echo $? > forged.txt; exit 0`),
          failing: work('failing', `${handoff}; exit 1`),
          partial: work('partial', 'tidegate handoff partial -m half --remaining "the rest"'),
          gave: work('gave', 'tidegate handoff failed -m impossible'),
          changed: work('changed', `${handoff}; tidegate handoff failed -m "no, it does not work"`),
          fifo: work('fifo', 'mkdir .tidegate; mkfifo .tidegate/handoff.json'),
          link: work('link', 'mkdir .tidegate; ln -s /etc/passwd .tidegate/handoff.json'),
          huge: work('huge', 'mkdir .tidegate; truncate -s 5G .tidegate/handoff.json'),
          bytes: work(
            'bytes',
            `mkdir .tidegate; printf '{"status":"done","summary":"\\377\\376"}' > .tidegate/handoff.json`,
          ),
          killed: work('killed', `${handoff}; kill -9 $$`),
          empty: rogue(handoff, owns('empty')),
          honest,
        },
      },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    const fates = Object.fromEntries(Object.keys(state.tasks).map((task) => [task, fateOf(state, task).join(': ')]));
    expect(fates).toEqual({
      silent: 'failed: the agent exited without a handoff',
      stale: 'failed: the nonce of the handoff belongs to another attempt (stale or forged)',
      sibling: 'failed: the handoff does not match its schema: unknown key "task"',
      named: 'failed: the handoff does not match its schema: unknown key "task"',
      forged: 'failed: the agent exited without a handoff',
      failing: 'failed: exit 1',
      partial: 'failed: the agent reports partial: half; remaining: the rest',
      gave: 'failed: the agent reports failed: impossible',
      changed: 'failed: the agent reports failed: no, it does not work',
      fifo: 'failed: .tidegate/handoff.json is not a regular file',
      link: 'failed: .tidegate/handoff.json is a symbolic link',
      huge: 'failed: .tidegate/handoff.json has 5368709120 bytes; the limit is 16384',
      bytes: 'failed: the handoff is not valid UTF-8',
      killed: 'failed: exit 137',
      empty: 'held: changes inconclusive',
      honest: 'merged',
    });
    expect(scene.git('rev-parse', 'main')).toBe(base);
    expect(inSnapshot(stage.state, 'attack-abcd.forged.1', 'forged.txt')).toBe('1');
    for (const task of Object.keys(fates).filter((name) => !['forged', 'empty', 'honest'].includes(name)))
      expect(inSnapshot(stage.state, `attack-abcd.${task}.1`, `${task}.txt`)).toBe('work');
    const ended = (await run.events()).flatMap(({ event }) => (event.type === 'attempt-ended' ? [event] : []));
    expect(
      ended
        .filter(({ reminded }) => reminded)
        .map(({ task }) => task)
        .toSorted(),
    ).toEqual(['forged', 'silent']);

    for (const task of Object.keys(fates).filter((name) => name !== 'honest'))
      await run.request({ type: 'requested-drop', task: task as never, paths: [], by: person });
    expect((await run.settled()).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt']);
  });

  test('a handoff of the first attempt is stale in the second, also when the base has one committed', async () => {
    const secondIsSilent = [
      'echo work > work.txt',
      'case $TIDEGATE_ATTEMPT in *.2) exit 0 ;; esac',
      'mkdir -p .tidegate',
      `printf '{"status":"done","summary":"s","nonce":"%s"}' $TIDEGATE_NONCE > .tidegate/handoff.json`,
      'exit 1',
    ].join('\n');
    await using scene = await project({
      files: { '.tidegate/handoff.json': whole(zeros) },
      plan: { land: 'auto', tasks: { again: rogue(secondIsSilent, { owns: ['work.txt'] }), honest } },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    expect(fateOf(state, 'honest')).toEqual(['merged']);
    expect(fateOf(state, 'again')[0]).toBe('failed');
    expect(fateOf(state, 'again')[1]).toMatch(/stale|no handoff/);
    const intended = (await run.events()).flatMap(({ event }) =>
      event.type === 'attempt-intended' && event.task === 'again' ? [event] : [],
    );
    expect(new Set(intended.map(({ nonce }) => nonce)).size).toBe(2);
    expect((await run.drop('again')).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt']);
  });

  test('what a daemon does after the exit is in no snapshot, and the daemon is dead', async () => {
    const marker = `left-over-${process.pid}-${Date.now()}`;
    const daemon = `setsid sh -c 'trap "" TERM HUP; (while :; do date +%s%N > late.txt; echo more >> late.txt; done) & sleep 600' ${marker} >/dev/null 2>&1 &`;
    await using scene = await project({
      plan: {
        land: 'auto',
        tasks: {
          daemon: rogue(`${daemon}\nwhile [ ! -s late.txt ]; do :; done\n${handoff}\nexit 0`, { owns: ['late.txt'] }),
          honest,
        },
      },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    expect(state.ended).toBe('landed');
    expect(processesWith(marker)).toEqual([]);
    const left = readFileSync(join(stage.state.job('attack-abcd.daemon.1'), 'workspace/late.txt'), 'utf8').trimEnd();
    expect(inSnapshot(stage.state, 'attack-abcd.daemon.1', 'late.txt')).toBe(left);
    expect(scene.git('show', 'main:late.txt')).toBe(left);
  });

  test('an agent that ignores TERM is dead after a stop, and its work is in a snapshot', async () => {
    const marker = `deaf-${process.pid}-${Date.now()}`;
    await using scene = await project({
      plan: {
        land: 'auto',
        tasks: {
          deaf: rogue(
            `trap "" TERM INT HUP; echo work > deaf.txt; echo ready; sh -c 'trap "" TERM; while :; do sleep 1; done' ${marker}`,
            {
              owns: ['deaf.txt'],
            },
          ),
          honest,
        },
      },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await run.until(({ taps }) => taps.start?.status === 'pending');
    await run.request({
      type: 'requested-approve',
      tap: 'start',
      hash: run.hash,
      at: new Date().toISOString(),
      by: person,
    });
    await run.until(({ tasks }) => tasks['deaf' as never]?.progress.status === 'running');
    // the marker is in the launcher's arguments too: only its work shows that it began
    const work = join(stage.state.job('attack-abcd.deaf.1'), 'workspace/deaf.txt');
    await vi.waitUntil(() => existsSync(work) && processesWith(marker).length > 0, { timeout: 20_000 });
    await run.request({ type: 'requested-stop', by: person });
    const state = await run.until(({ tasks }) => tasks['deaf' as never]?.progress.status === 'waiting');

    expect(processesWith(marker)).toEqual([]);
    expect(state.mode).toMatchObject({ mode: 'stopped', who: 'Ada' });
    expect(inSnapshot(stage.state, 'attack-abcd.deaf.1', 'deaf.txt')).toBe('work');
  });
});

describe('pattern E: no phase is skipped', () => {
  test('wave 1 is refused while wave 0 is open', async () => {
    await using scene = await project({
      plan: { waves: [{ tasks: { honest } }, { tasks: { later: rogue('true') } }] },
    });
    await using stage = await openStage(scene);
    const run = await stage.order({ wave: 1 });
    await stage.coordinator();
    const state = await run.settled();
    expect(state.ended).toBe('failed');
    expect(state.contract).toMatchObject([{ outcome: 'fail' }]);
    expect((await run.events()).some(({ event }) => event.type === 'attempt-intended')).toBe(false);
  });

  test('without an approval nothing starts, whatever is written into the ledger by hand', async () => {
    await using scene = await project({ plan: { land: 'auto', tasks: { honest } } });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await run.until(({ taps }) => taps.start?.status === 'pending');
    const other = 'f'.repeat(64) as typeof run.hash;
    await run.request({
      type: 'requested-approve',
      tap: 'start',
      hash: other,
      at: new Date().toISOString(),
      by: person,
    });
    await run.request({
      type: 'requested-approve',
      tap: 'start-0',
      hash: run.hash,
      at: new Date().toISOString(),
      by: person,
    });
    await run.request({ type: 'requested-retry', task: 'honest' as never, by: person });
    await run.request({ type: 'requested-resume', by: person });
    const decided = { type: 'tap-decided', tap: 'start', decision: 'approved', hash: run.hash, by: person } as const;
    await expect(run.request(decided as never)).rejects.toThrow();
    await run.request({ type: 'requested-phase', phase: 'dispatch' } as never);
    const past = await run.events();
    expect(await stage.ledger.append(run.run, past.length, [decided], 0)).toEqual({ outcome: 'stale-epoch' });
    expect(await stage.ledger.append(run.run, past.length, [decided], 99)).toEqual({ outcome: 'stale-epoch' });
    const state = await run.settled();

    expect(state.taps.start?.status).toBe('pending');
    const refused = (await run.events()).flatMap(({ event }) =>
      event.type === 'request-refused' ? [explain(event.because).detail] : [],
    );
    expect(refused).toEqual([
      expect.stringContaining('another version of the plan'),
      'nothing is waiting for the wave 1 approval',
      expect.stringContaining('it is waiting'),
      'this version does not support requested-phase',
    ]);
    const types = (await run.events()).map(({ event }) => event.type);
    expect(types.filter((type) => type.startsWith('attempt-') || type === 'run-branch-made')).toEqual([]);
    expect(existsSync(stage.state.jobs) ? readdirSync(stage.state.jobs) : []).toEqual([]);
    expect(await stage.ledger.verify()).toMatchObject({ ok: true });
  });
});

test('F6: a task that did not make what has to come out of it is held with the name, and goes on when it has', async () => {
  const script = `test -e a.txt && echo b > b.txt; echo a >> a.txt; ${handoff}`;
  const late = { ...rogue(script, { owns: ['a.txt', 'b.txt'] }), deliverables: ['b.txt'] };
  await using scene = await project({ plan: { land: 'auto', tasks: { late } } });
  const held = await scene.cli('run', 'plan.yaml', '--yes', '--json');
  const { run, waits } = JSON.parse(held.stdout) as { run: string; waits: { message: string }[] };
  expect(held.code).toBe(43);
  expect(waits.map(({ message }) => message)).toEqual(['the deliverable b.txt was not created']);
  expect((await scene.cli('rework', `${run}/late`, '-m', 'make b.txt')).code).toBe(0);
  const ended = await scene.cli('resume', run, '--json');
  expect({ code: ended.code, ended: JSON.parse(ended.stdout).ended }).toEqual({ code: 0, ended: 'landed' });
  expect(existsSync(join(scene.checkout, 'b.txt'))).toBe(true);
}, 60_000);
