import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as nextLook } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { identify } from '../../src/adapters/process/process-identity.ts';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { handoff, project } from '../support/project.ts';
import { type Ordered, openStage, person, type Stage } from '../support/staged-run.ts';
import { fingerprint } from '../support/tries.ts';

/** It ends when the test lets it. */
const slow = rogue(
  `mkdir -p .tidegate; until test -e .tidegate/go; do sleep 0.02; done; echo slow > slow.txt; ${handoff}`,
  { owns: ['slow.txt'] },
);
async function letGo({ state }: Stage, run: Ordered): Promise<void> {
  const place = `${state.jobs}/${run.run}.slow.1/workspace/.tidegate`;
  while (!existsSync(place)) await nextLook(10);
  writeFileSync(`${place}/go`, '');
}
const isRunning = (task: string) => (state: { tasks: Record<string, { progress: { status: string } }> }) =>
  state.tasks[task]?.progress.status === 'running';

/** Approved, and the slow agent is at work. */
async function underWay(run: Ordered): Promise<void> {
  await run.until(({ taps }) => taps.start?.status === 'pending');
  await run.request({
    type: 'requested-approve',
    tap: 'start',
    hash: run.hash,
    at: new Date().toISOString(),
    by: person,
  });
  await run.until(isRunning('slow'));
}

describe('two coordinators', () => {
  test('one that slept past its epoch writes nothing, says so and ends; the work goes on once', async () => {
    // Nothing is written while only the slow one works: a process that is stopped inside a transaction keeps its lock.
    await using scene = await project({
      plan: { land: 'auto', tasks: { slow: { ...slow, needs: ['honest'] }, honest } },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    const first = await stage.coordinator();
    await underWay(run);
    await untilIdle(first.child.pid ?? 0);
    first.child.kill('SIGSTOP');
    const me = { ...identify(), socket: '' };
    expect(await stage.ledger.takeEpoch(me, () => true)).toMatchObject({ outcome: 'held' });
    const forced = await stage.ledger.takeEpoch(me, () => false);
    if (forced.outcome !== 'taken') throw new Error('the epoch is held');
    await stage.ledger.releaseEpoch(forced.epoch);
    const second = await stage.coordinator();
    expect(second.said).toBe(`hosting ${forced.epoch + 1}`);
    first.child.kill('SIGCONT');
    await letGo(stage, run);
    const over = await first.over;
    const state = await run.settled();

    expect(over.code).toBe(32);
    expect(over.stderr).toMatch(/epoch/);
    expect(state.ended).toBe('landed');
    const events = await stage.ledger.readAll();
    const taken = events.find(({ epoch }) => epoch > 1)?.seq ?? 0;
    expect(events.filter(({ seq, epoch }) => seq > taken && epoch === 1)).toEqual([]);
    const intended = events.flatMap(({ event }) => (event.type === 'attempt-intended' ? [event.attempt] : []));
    expect(intended.toSorted()).toEqual(['attack-abcd.honest.1', 'attack-abcd.slow.1']);
    expect(await stage.ledger.verify()).toMatchObject({ ok: true });
  });

  test('a second run on the same branch lands while the first works, which then lands on top of it', async () => {
    const after = rogue(`echo after > after.txt; ${handoff}`, { owns: ['after.txt'] });
    await using scene = await project({
      files: { 'second.yaml': JSON.stringify({ land: 'auto', tasks: { after } }) },
      plan: { land: 'auto', tasks: { slow } },
    });
    await using stage = await openStage(scene);
    const first = await stage.order({ id: 'first-abcd' });
    const second = await stage.order({ id: 'second-abcd', plan: 'second.yaml' });
    expect((await stage.coordinator()).said).toBe('hosting 1');
    expect((await stage.coordinator()).said).toBe('held');
    await underWay(first);
    expect((await second.approve()).ended).toBe('landed');
    await letGo(stage, first);
    expect((await first.settled()).ended).toBe('landed');
    expect(scene.git('show', 'main:after.txt', 'main:slow.txt')).toBe('after\nslow');
  });
});

describe('a person who works on the branch meanwhile', () => {
  const checks = [{ name: 'present', run: 'test -f readme.md' }];

  test('keeps their commit: the landing is rebuilt on it and checked again', async () => {
    await using scene = await project({ plan: { land: 'auto', checks, tasks: { slow, honest } } });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    await underWay(run);
    scene.write('mine.txt', 'by the person\n');
    scene.git('add', 'mine.txt');
    scene.git('commit', '-q', '-m', 'mine');
    const mine = scene.git('rev-parse', 'main');
    await letGo(stage, run);
    const state = await run.settled();

    expect(state.ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt', 'A mine.txt', 'A slow.txt']);
    expect(scene.git('rev-list', '--count', `${mine}..main`)).toBe('2');
    expect(scene.git('merge-base', mine, 'main')).toBe(mine);
    expect(scene.git('status', '--porcelain')).toBe('');
    const land = (await run.events()).flatMap(({ event }) =>
      event.type === 'check-ended' && event.purpose === 'land' ? [event.check.tree] : [],
    );
    expect(land).toEqual([scene.git('rev-parse', 'main^{tree}')]);
  });

  test('and breaks what the run needs is told so, and nothing moves', async () => {
    await using scene = await project({ plan: { land: 'auto', checks, tasks: { slow, honest } } });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await underWay(run);
    scene.git('rm', '-q', 'readme.md');
    scene.git('commit', '-q', '-m', 'no readme');
    const mine = scene.git('rev-parse', 'main');
    await letGo(stage, run);
    const state = await run.settled();
    expect(state.ended).toBeNull();
    expect(scene.git('rev-parse', 'main')).toBe(mine);
    expect(state.landing).toMatchObject({ status: 'refused' });
  });

  test('and amends it: the landing is rebuilt on the new history', async () => {
    await using scene = await project({ plan: { land: 'auto', checks, tasks: { slow, honest } } });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await underWay(run);
    scene.git('commit', '-q', '--amend', '-m', 'the plan, said better');
    const amended = scene.git('rev-parse', 'main');
    await letGo(stage, run);
    expect((await run.settled()).ended).toBe('landed');
    expect(scene.git('log', '--format=%s', '-1', 'main~2')).toBe('the plan, said better');
    expect(changedOnMain(scene, amended)).toEqual(['A honest.txt', 'A slow.txt']);
  });

  test.each([
    ['deletes it', 'branch-gone', [['update-ref', '-d', 'refs/heads/main']]],
    [
      'replaces it by another history',
      'history-unrelated',
      [
        ['checkout', '-q', '--orphan', 'other'],
        ['commit', '-q', '-m', 'another history'],
        ['branch', '-f', 'main', 'other'],
      ],
    ],
  ])('and %s: the landing is refused with the reason', async (_, rule, commands) => {
    await using scene = await project({ plan: { land: 'auto', tasks: { slow, honest } } });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await underWay(run);
    for (const command of commands) scene.git(...command);
    const before = fingerprint(scene.checkout);
    await letGo(stage, run);
    const state = await run.settled();
    expect(state.ended).toBeNull();
    expect(state.landing).toMatchObject({ status: 'refused', because: { rule, branch: 'main' } });
    expect(changed(before, fingerprint(scene.checkout))).toEqual([]);
    expect([fateOf(state, 'slow'), fateOf(state, 'honest')]).toEqual([['merged'], ['merged']]);
  });
});

/** Waits for events and does nothing else: its main thread was asleep at ten looks in a row. */
async function untilIdle(pid: number): Promise<void> {
  const isAsleep = (): boolean => /\) S /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  for (let asleep = 0; asleep < 10; asleep = isAsleep() ? asleep + 1 : 0) await nextLook(10);
}

const changed = (before: Record<string, string>, after: Record<string, string>): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
