import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { honest } from '../support/crew.ts';
import { type Ended, ended, type Project, project } from '../support/project.ts';
import { openStage } from '../support/staged-run.ts';

const plan = { land: 'auto', tasks: { honest } };
const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as { exit: number; reason: string; run: string };
const typesIn = async (scene: Project) => (await scene.events()).map(({ event }) => event.type);
const started = (types: readonly string[]) => types.filter((type) => type === 'attempt-intended');

/** A run that waits for its approval. */
async function waitingRun(scene: Project): Promise<string> {
  const asked = await scene.cli('run', 'plan.yaml', '--json');
  expect(asked.code).toBe(43);
  return documentOf(asked).run;
}

describe('the start of a run', () => {
  test('waits for a person: no terminal, no flag and no agent mean yes', async () => {
    await using scene = await project({ plan });
    const run = await waitingRun(scene);
    const agents = [{ CLAUDECODE: '1' }, { TIDEGATE_TASK: 'rogue' }, { CODEX_SANDBOX: 'x' }, { AI_AGENT: 'x' }];
    for (const env of agents) {
      const refused = await ended(scene.start(['approve', run, '--json'], env));
      expect([refused.code, documentOf(refused).reason]).toEqual([43, 'caller-is-agent']);
    }
    const byFlag = await ended(scene.start(['resume', run, '--yes', '--json'], { CLAUDECODE: '1' }));
    expect(byFlag.code).not.toBe(0);
    const other = await scene.cli('approve', run, '--plan', 'f'.repeat(64), '--json');
    expect(other.code).toBe(2);
    expect(started(await typesIn(scene))).toEqual([]);

    const approved = await scene.cli('approve', run, '--json');
    expect(approved.code).toBe(0);
    const done = await scene.cli('resume', run, '--json');
    expect(documentOf(done)).toMatchObject({ exit: 0 });
    expect(scene.git('show', 'main:honest.txt')).toBe('fine');
  });

  test("is an agent's to approve when the person's own configuration says so, and the ledger says who it was", async () => {
    await using scene = await project({ plan });
    const run = await waitingRun(scene);
    mkdirSync(join(scene.root, 'home/.config/tidegate'), { recursive: true });
    writeFileSync(join(scene.root, 'home/.config/tidegate/config.yaml'), 'taps: { agents: allow }\n');
    const ours = await ended(scene.start(['approve', run, '--json'], { TIDEGATE_ATTEMPT: 'x', CLAUDECODE: '1' }));
    expect([ours.code, documentOf(ours).reason]).toEqual([43, 'caller-is-agent']);
    expect(await ended(scene.start(['approve', run, '--json'], { CLAUDECODE: '1' }))).toMatchObject({ code: 0 });
    const decided = (await scene.events()).flatMap(({ event }) =>
      event.type === 'requested-approve' ? [event.by] : [],
    );
    expect(decided).toEqual([{ who: expect.stringMatching(/^claude-code as ./), via: 'command' }]);
  });

  test('is decided once when two people decide at the same time', async () => {
    await using scene = await project({ plan });
    const run = await waitingRun(scene);
    const all = await Promise.all(
      ['approve', 'reject', 'approve', 'reject'].map((word) => scene.cli(word, run, '--json')),
    );
    expect(all.filter(({ code }) => code === 0).length, JSON.stringify(all)).toBe(1);
    const decided = (await scene.events()).flatMap(({ event }) => (event.type === 'tap-decided' ? [event] : []));
    expect(decided.length).toBe(1);
    const rejected = decided[0]?.decision === 'rejected';
    await scene.cli('resume', run, '--json');
    expect(started(await typesIn(scene)).length).toBe(rejected ? 0 : 1);
  });

  test('is approved for one plan: an edited one is another run, and asks again', async () => {
    await using scene = await project({ plan });
    const first = await waitingRun(scene);
    expect((await scene.cli('reject', first, '--json')).code).toBe(0);
    const text = scene.git('show', 'main:plan.yaml');
    scene.write('plan.yaml', `${text}\nlimits: { parallel: 3 }\n`);
    const second = await waitingRun(scene);
    expect(second).not.toBe(first);
    const hashes = (await scene.events()).flatMap(({ event }) => (event.type === 'tap-opened' ? [event.hash] : []));
    expect(new Set(hashes).size).toBe(2);
    const stolen = await scene.cli('approve', second, '--plan', hashes[0] ?? '', '--json');
    expect(stolen.code).toBe(2);
    expect(started(await typesIn(scene))).toEqual([]);
  });

  test('by marker needs the hash of this plan in a plain file', async () => {
    await using scene = await project({ plan });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    await run.until(({ taps }) => taps.start?.status === 'pending');
    const marker = (name: string) => join(stage.state.run(run.run), name);
    writeFileSync(marker('elsewhere'), run.hash);
    symlinkSync('elsewhere', marker('rejected'));
    writeFileSync(marker('hold'), 'f'.repeat(64));
    mkdirSync(marker('approved'));
    rmdirSync(marker('approved'));
    writeFileSync(marker('approved'), `${run.hash}\n`);
    const state = await run.until(({ ended: over }) => over !== null);
    expect(state.ended).toBe('landed');
    const decided = (await run.events()).flatMap(({ event }) => (event.type === 'tap-decided' ? [event] : []));
    const asked = (await run.events()).flatMap(({ event }) =>
      'by' in event && event.by.via === 'marker' ? [event.type] : [],
    );
    expect(asked).toEqual(['requested-approve', 'tap-decided']);
    expect(decided).toMatchObject([{ tap: 'start', decision: 'approved', hash: run.hash, by: { via: 'marker' } }]);
  });

  test('is not given by time: a tap that runs out ends the run', async () => {
    await using scene = await project({ plan });
    await using stage = await openStage(scene);
    const run = await stage.order({ expiresMinutes: 0.02 });
    await stage.coordinator();
    const state = await run.until(({ ended: over }) => over !== null);
    expect([state.ended, state.taps.start?.status]).toEqual(['rejected', 'expired']);
    await run.request({
      type: 'requested-approve',
      tap: 'start',
      hash: run.hash,
      at: new Date().toISOString(),
      by: { who: 'Ada', via: 'command' },
    });
    expect((await run.settled()).ended).toBe('rejected');
    expect((await run.events()).some(({ event }) => event.type === 'attempt-intended')).toBe(false);
  });
});

describe('pattern E and F at the command line', () => {
  test('a wave that skips an open one is wrong use, and leaves no run behind', async () => {
    const later = { ...honest, owns: ['later.txt'] };
    await using scene = await project({ plan: { waves: [{ tasks: { honest } }, { tasks: { later } }] } });
    const refused = await scene.cli('run', 'plan.yaml', '--wave', '2', '--yes', '--json');
    expect([refused.code, documentOf(refused).reason]).toEqual([2, 'plan-refused']);
    expect(refused.stderr + refused.stdout).toMatch(/--wave 1/);
    expect(existsSync(`${scene.root}/state`)).toBe(false);
  });

  test('a run is not known in another repository, and one for another is refused', async () => {
    await using scene = await project({ plan });
    await using other = await project({ plan, files: { 'other.md': 'another repository\n' } });
    const run = await waitingRun(scene);
    const elsewhere = await ended(
      other.start(['approve', run, '--json'], { TIDEGATE_STATE_DIR: `${scene.root}/state` }),
    );
    expect(elsewhere.code).not.toBe(0);
    expect((await scene.events()).some(({ event }) => event.type === 'tap-decided')).toBe(false);

    await using stage = await openStage(other);
    const repo = scene.git('rev-list', '--max-parents=0', 'main');
    other.write('foreign.yaml', JSON.stringify({ repo, ...plan }));
    await expect(stage.order({ plan: 'foreign.yaml' })).rejects.toThrow('"rule":"repo-claim"');
  });
});
