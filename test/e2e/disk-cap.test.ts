import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { smallDisk } from '../support/small-disk.ts';

const fill = (name: string, bytes: number) => `head -c ${bytes} /dev/urandom > ${name}`;
const workspacesOf = (p: Project, task: string) => globSync(join(p.root, `state/*/jobs/*.${task}.*/workspace`));
/** Waits until this event is in the ledger. */
async function until(p: Project, type: LedgerEvent['type'], count = 1): Promise<void> {
  const isThere = async () =>
    globSync(join(p.root, 'state/*/ledger.db')).length > 0 &&
    (await p.events()).filter(({ event }) => event.type === type).length >= count;
  while (!(await isThere())) await nextLook(50);
}

describe('the disk cap', { timeout: 120_000 }, () => {
  test('is kept by removing what has landed; then nothing starts until a person makes room, and it goes on by itself', async () => {
    const landed = scripted(`${fill('landed.bin', 2_000_000)}; ${handoff}`, { owns: ['landed.bin'] });
    await using p = await project({ plan: { land: 'auto', tasks: { landed } }, env: { TIDEGATE_DISK_CAP: '4MB' } });
    expect(await p.cli('run', 'plan.yaml', '--yes', '--json')).toMatchObject({ code: 0 });
    expect(workspacesOf(p, 'landed')).toHaveLength(1);

    // `wide` is held and keeps its workspace; `gate` stays at work until the test lets it go; `last` waits behind it.
    const wide = scripted(`${fill('elsewhere.bin', 5_000_000)}; ${handoff}`, { owns: ['wide.txt'], priority: 9 });
    const wait = 'until [ -e go.txt ]; do sleep 0.1; done';
    const gate = scripted(`${wait}; ${handoff}`, { owns: ['go.txt'], priority: 8 });
    const last = scripted(`echo last > last.txt; ${handoff}`, { owns: ['last.txt'], priority: 1 });
    const limits = { parallel: 1, attempts: 1 };
    p.write('second.yaml', stringify({ land: 'auto', limits, tasks: { wide, gate, last } }));
    const running = ended(p.start(['run', 'second.yaml', '--yes', '--json']));
    await until(p, 'starts-suspended');
    expect(workspacesOf(p, 'landed')).toEqual([]);
    expect(workspacesOf(p, 'wide')).toHaveLength(1);
    const run = (await p.events()).findLast(({ event }) => event.type === 'run-created')?.stream ?? '';
    const why = await p.cli('why', `${run}/last`);
    expect(why.stdout).toContain('disk.cap');
    expect(why.stdout).toContain('tidegate clean --dry-run');
    expect(JSON.parse((await p.cli('status', run, '--json')).stdout)).toMatchObject({
      needs: expect.arrayContaining([expect.objectContaining({ kind: 'disk' })]),
    });
    expect((await p.cli('clean')).stdout).toContain(
      `wide.1: held, not landed; to discard it: tidegate drop ${run}/wide`,
    );

    await p.cli('drop', `${run}/wide`);
    await until(p, 'starts-allowed');
    expect(workspacesOf(p, 'wide')).toEqual([]);
    await until(p, 'attempt-started', 3);
    for (const workspace of workspacesOf(p, 'gate')) writeFileSync(join(workspace, 'go.txt'), '');
    expect(await running).toMatchObject({ code: 3 });
    expect(p.git('show', 'main:last.txt')).toBe('last');
    const types = (await p.events()).map(({ event }) => event.type);
    const between = types.slice(types.lastIndexOf('starts-suspended'), types.lastIndexOf('starts-allowed'));
    expect(between).not.toContain('attempt-intended');
    // What a person dropped, and what landed, is still in its snapshots.
    expect(
      p.git('--git-dir', p.state().repository, 'cat-file', '-s', `refs/tidegate/attempts/${run}.wide.1:elsewhere.bin`),
    ).toBe('5000000');
  });

  test('on a disk with too little room nothing starts, and it goes on by itself when there is more', async ({
    skip,
  }) => {
    const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
    await using p = await project({ plan: { land: 'auto', tasks: { one } }, env: { TIDEGATE_DISK_FREE: '50MB' } });
    using disk = smallDisk(join(p.root, 'state'), '40m');
    if (disk === null) return skip('no small tmpfs');
    const running = ended(p.start(['run', 'plan.yaml', '--yes', '--json']));
    await until(p, 'starts-suspended');
    expect((await p.cli('why')).stdout).toMatch(
      /only \d+\.\d MB of disk space is free, and disk\.free requires 50\.0 MB/,
    );
    disk.remount('size=100m');
    expect(await running).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  });

  test.each(['disk-remove-before', 'disk-removed'])(
    'killed at %s, a removal is done again and no snapshot is lost',
    async (point) => {
      const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
      await using p = await project({ plan: { land: 'auto', tasks: { one } } });
      expect(await p.cli('run', 'plan.yaml', '--yes', '--json')).toMatchObject({ code: 0 });
      expect(await ended(p.start(['clean'], { TIDEGATE_FAILPOINT: point }))).toMatchObject({ code: null });
      expect(await p.cli('clean')).toMatchObject({ code: 0 });
      expect(workspacesOf(p, 'one')).toEqual([]);
      expect((await p.cli('rescue')).stdout).toContain('refs/tidegate/attempts/');
    },
  );
});

test('a coordinator takes away what dead processes left half made', { timeout: 60_000 }, async () => {
  const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  await using p = await project({ plan: { tasks: { one } } });
  await p.cli('run', 'plan.yaml', '--json');
  const { pid } = p.start(['--version']);
  const left = join(p.state().root, `confirmed.json.${pid}.new`);
  writeFileSync(left, '');
  while (existsSync(`/proc/${pid}`)) await nextLook(20);
  await p.cli('resume', '--yes', '--land', '--json');
  expect(existsSync(left)).toBe(false);
  rmSync(left, { force: true });
});
