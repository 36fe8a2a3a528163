import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { type Project, project, scripted } from '../support/project.ts';

/** A level that is about a running system is proven by a person, for one snapshot, and counts until it is revoked. */

const work = 'echo new > new.txt; tidegate handoff done -m did --claim proof=live';
const plan = (script = work, more: object = {}) => ({
  land: 'ask',
  limits: { attempts: 1 },
  tasks: { add: scripted(script, { owns: ['new.txt'], exit: { proof: 'live' } }) },
  ...more,
});

async function ran(p: Project): Promise<string> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string }).run;
}

const eventsOf = async <T extends LedgerEvent['type']>(p: Project, type: T) =>
  (await p.events()).flatMap(({ event }) => (event.type === type ? [event as LedgerEvent & { readonly type: T }] : []));

/** A file outside the repository's tree. */
function shot(p: Project, text = 'it runs\n'): string {
  const file = join(p.root, '..', `${createHash('sha1').update(p.root).digest('hex')}.txt`);
  writeFileSync(file, text);
  return file;
}

const add = (p: Project, run: string, ...more: string[]) =>
  p.cli('proof', 'add', `${run}/add`, '--level', 'live', '-m', 'I saw it', ...more);

/** Waits until the run has so many events of this type. */
async function until(p: Project, run: string, type: LedgerEvent['type'], count = 1): Promise<void> {
  await p.cli('resume', run);
  for (;;) {
    const known = (await p.events()).filter(({ event }) => event.type === type);
    if (known.length >= count) return;
    await p.cli('events', run);
  }
}

describe('a task that has to be proven live', { timeout: 240_000 }, () => {
  test('keeps its wave open until a person proves it; the proof is kept, listed, superseded, and revoked', async () => {
    await using p = await project({ plan: plan() });
    const run = await ran(p);
    expect(await eventsOf(p, 'merged')).toEqual([]);
    const why = (await p.cli('why', '--all', run)).stdout;
    expect(why).toContain('add has no live proof');
    expect(why).toContain(`tidegate proof add ${run}/add --level live`);

    // unit says nothing about a running system, and a secret is never kept
    const file = shot(p);
    expect((await p.cli('proof', 'add', `${run}/add`, '--level', 'unit', '--file', file, '-m', 'tests')).code).toBe(0);
    expect((await p.cli('why', '--all', run)).stdout).toContain('the proof of add is below the level live');
    const secret = shot(p, `key AKIA${'QWERTYUIOPASDFGH'}\n`);
    expect((await add(p, run, '--file', secret)).stderr).toContain('contains a secret');
    expect((await add(p, run, '--file', shot(p, ''))).stderr).toContain('must be a file that is not empty');
    expect((await add(p, run)).code).not.toBe(0);
    expect((await add(p, run, '--url', 'https://example.org/dash')).code).toBe(2);
    expect(await eventsOf(p, 'merged')).toEqual([]);

    const seen = shot(p);
    const sha256 = createHash('sha256').update('it runs\n').digest('hex');
    expect(
      await p.cli('proof', 'supersede', `${run}/p1`, '--level', 'live', '--file', seen, '-m', 'I saw it'),
    ).toMatchObject({
      code: 0,
    });
    await until(p, run, 'merged');
    expect(existsSync(join(p.state().proofs(run), sha256))).toBe(true);
    const listed = JSON.parse((await p.cli('proof', 'list', run, '--json')).stdout) as { proofs: readonly object[] };
    expect(listed.proofs).toMatchObject([
      { id: 'p1', state: 'superseded', stale: false },
      { id: 'p2', state: 'active', level: 'live', supersedes: 'p1', attestation: 'I saw it', artifacts: [{ sha256 }] },
    ]);

    // revoked after the merge: the task does not land before it is proven again
    await until(p, run, 'tap-opened');
    expect(await p.cli('proof', 'revoke', `${run}/p2`, '-m', 'wrong system')).toMatchObject({ code: 0 });
    expect(await p.cli('land', run)).toMatchObject({ code: 1, stderr: expect.stringContaining('was revoked') });
    expect(await eventsOf(p, 'landed')).toEqual([]);
    for (const view of [['status'], ['why'], ['why', '--all'], ['inbox']])
      expect([view, (await p.cli(...view, ...(view[0] === 'inbox' ? [] : [run]))).stdout]).toEqual([
        view,
        expect.stringContaining('was revoked'),
      ]);
    const { actions } = JSON.parse((await p.cli('why', '--all', run, '--json')).stdout);
    expect(actions).toMatchObject([{ id: 'proof-add', owner: 'person', code: 'proof-revoked' }]);
    const url = ['--url', 'https://example.org/dash', '--sha256', sha256];
    expect(await add(p, run, ...url)).toMatchObject({ code: 0 });
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(await eventsOf(p, 'landed')).toHaveLength(1);
    expect(await p.cli('proof', 'revoke', `${run}/p3`, '-m', 'late')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be revoked, because add has landed'),
    });
  });

  test('needs another proof after a rework, and a person may resolve the barrier instead', async () => {
    const more = `test -e new.txt && echo more >> new.txt || echo new > new.txt; tidegate handoff done -m did --claim proof=live`;
    await using p = await project({
      plan: plan(more, { closure: { qa: { command: ['/bin/sh', '-c', 'sleep 1; tidegate verdict blocked'] } } }),
    });
    const run = await ran(p);
    expect((await add(p, run, '--file', shot(p))).code).toBe(0);
    await until(p, run, 'role-opened');
    expect((await p.cli('rework', `${run}/add`, '-m', 'more')).code).toBe(0);
    await until(p, run, 'candidate-built', 2);
    expect((await p.cli('why', '--all', run)).stdout).toContain('the live proof of add is for an earlier snapshot');
    expect((await p.cli('proof', 'list', run)).stdout).toContain('stale');
    expect((await p.cli('resolve', `${run}/proof-add`, '-m', 'nothing live changed')).code).toBe(0);
    expect((await p.cli('why', '--all', run)).stdout).not.toContain('proof-add');
  });

  test('does not keep a person from changing their mind while the wave waits for it', async () => {
    const more = `test -e new.txt && echo more >> new.txt || echo new > new.txt; tidegate handoff done -m did --claim proof=live`;
    await using p = await project({ plan: plan(more) });
    const run = await ran(p);
    expect((await p.cli('why', '--all', run)).stdout).toContain('add has no live proof');
    expect((await p.cli('rework', `${run}/add`, '-m', 'more')).code).toBe(0);
    await until(p, run, 'candidate-built', 2);
    expect((await p.cli('drop', `${run}/add`)).code).toBe(0);
    expect(await eventsOf(p, 'merged')).toEqual([]);
  });

  test('is not landed, and verify says so, when a file that its proof rests on is gone or changed', async () => {
    await using p = await project({ plan: plan() });
    const run = await ran(p);
    expect((await add(p, run, '--file', shot(p))).code).toBe(0);
    await until(p, run, 'tap-opened');
    await until(p, run, 'wave-closed');
    const [proof] = await eventsOf(p, 'proof-registered');
    const [artifact] = proof?.artifacts ?? [];
    const kept = join(p.state().proofs(run), artifact?.sha256 ?? '');
    expect((await p.cli('verify')).code).toBe(0);
    const main = p.git('rev-parse', 'main');
    const expectRefused = async (words: string) => {
      const verified = await p.cli('verify');
      expect([verified.code, verified.stderr]).toEqual([1, expect.stringContaining(words)]);
      const landed = await p.cli('land', run);
      expect([landed.code, landed.stdout + landed.stderr]).toEqual([43, expect.stringContaining(words)]);
      expect(p.git('rev-parse', 'main')).toBe(main);
    };
    writeFileSync(kept, 'forged\n');
    await expectRefused('of add was changed since it was kept');
    rmSync(kept);
    await expectRefused('of add is gone');
    expect((await p.cli('proof', 'supersede', `${run}/p1`, '--file', shot(p), '-m', 'again')).code).toBe(0);
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect((await p.cli('verify')).code).toBe(0);
  });

  test('cannot be proven by an agent in its fence', async () => {
    const script = `tidegate proof add other/add --level live --url https://example.org -m me && exit 9; ${work}`;
    await using p = await project({ plan: plan(script) });
    const run = await ran(p);
    expect(await eventsOf(p, 'requested-proof')).toEqual([]);
    expect((await eventsOf(p, 'attempt-ended'))[0]?.refusals?.[0]).toMatch(/^proof add other\/add/);
    expect((await p.cli('why', '--all', run)).stdout).toContain('add has no live proof');
  });
});
