import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { type Project, project, scripted } from '../support/project.ts';

/** Claims are compared with the exit contract, and each level is held up by evidence that Tidegate took itself. */

const check = { name: 'test', run: 'test ! -e broken' };
const plan = (tasks: object, more: object = {}) => ({ land: 'auto', limits: { attempts: 1 }, tasks, ...more });
const files = { '.gitignore': 'out/\n', 'README.md': 'hello\n' };
const done = (...claims: string[]) =>
  `tidegate handoff done -m did ${claims.map((claim) => `--claim ${claim}`).join(' ')}`;
const proofs = [{ path: 'out/report.txt', kind: 'report' }];
const work = (script: string, more: object = {}) =>
  scripted(`echo work > work.txt; ${script}`, { owns: ['work.txt', 'broken'], ...more });

async function ran(p: Project): Promise<string> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string }).run;
}

const eventsOf = async <T extends LedgerEvent['type']>(p: Project, type: T) =>
  (await p.events()).flatMap(({ event }) => (event.type === type ? [event as LedgerEvent & { readonly type: T }] : []));

const snapshotsOf = async (p: Project): Promise<readonly SnapshotEvidence[]> =>
  (await eventsOf(p, 'attempt-ended')).flatMap(({ snapshot }) => snapshot ?? []);

/** The codes and rules of everything that holds a task. */
async function heldBy(p: Project, task: string): Promise<readonly string[]> {
  const judged = (await eventsOf(p, 'phase-judged')).findLast((one) => one.phase === 'monitor' && one.task === task);
  return (judged?.verdicts ?? []).flatMap((verdict) =>
    verdict.outcome === 'pass'
      ? []
      : verdict.findings.map((one) => `${verdict.gate} ${verdict.outcome} ${'code' in one ? one.code : one.rule}`),
  );
}

type Status = { readonly waves: readonly { closed: boolean; tasks: readonly { id: string; proven: boolean }[] }[] };
const provenIn = async (p: Project, run: string) =>
  (JSON.parse((await p.cli('status', run, '--json')).stdout) as Status).waves.map(({ closed, tasks }) => ({
    closed,
    proven: tasks.map(({ proven }) => proven),
  }));

/** Names of the objects in the evidence store of a job. */
const storeOf = (p: Project, job: string): readonly string[] =>
  existsSync(p.state().evidence(job))
    ? readdirSync(p.state().evidence(job), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

describe('a declared proof', () => {
  const proven = work(`mkdir out; echo all is well > out/report.txt; ${done('durability=durable')}`, {
    ...{ proofs, exit: { durability: 'durable' } },
  });

  test('from an ignored path is hashed, kept beside the job, and in no commit', async () => {
    await using p = await project({ files, plan: plan({ a: proven }) });
    const run = await ran(p);
    expect(await heldBy(p, 'a')).toEqual([]);
    const [snapshot] = await snapshotsOf(p);
    const [proof] = snapshot?.proofs ?? [];
    if (proof === undefined || !('sha256' in proof)) throw new Error('no proof was taken');
    expect(proof).toMatchObject({ path: 'out/report.txt', kind: 'report', bytes: 12 });
    expect(storeOf(p, `${run}.a.1`)).toEqual([proof.sha256]);
    const [first, second] = [proof.sha256.slice(0, 2), proof.sha256.slice(2, 4)];
    const kept = join(p.state().evidence(`${run}.a.1`), 'objects', first, second, proof.sha256);
    expect(readFileSync(kept, 'utf8')).toBe('all is well\n');
    expect(p.git('show', 'main:work.txt')).toBe('work');
    expect(p.git('log', '--all', '--format=%H', '--', 'out')).toBe('');
    expect(snapshot?.diff.map(({ path }) => path)).toEqual(['work.txt']);
    expect(await provenIn(p, run)).toEqual([{ closed: true, proven: [true] }]);
    expect(checkHistory(await p.events())).toEqual([]);
    expect((await p.cli('verify')).code).toBe(0);
    expect((await p.cli('replay', run)).code).toBe(0);

    const cleaned = await p.cli('clean');
    expect(cleaned.stdout).toMatch(/removed.*proofs of .*: landed/);
    expect(storeOf(p, `${run}.a.1`)).toEqual([]);
  }, 120_000);

  test('that is missing, a link, in a linked directory or where the agent may not write holds the task', async () => {
    const declaring = (path: string, script: string) =>
      work(`${script}; ${done('durability=durable')}`, {
        ...{ owns: [`${path}.txt`], proofs: [{ path }], exit: { durability: 'durable' } },
      });
    const tasks = {
      missing: declaring('out/missing', 'rm work.txt; echo x > out/missing.txt'),
      linked: declaring('out/linked', 'mkdir -p out; rm work.txt; ln -s /etc/passwd out/linked'),
      through: declaring('out/through/passwd', 'mkdir -p out; rm work.txt; ln -s /etc out/through'),
      pipe: declaring('out/pipe', 'mkdir -p out; rm work.txt; mkfifo out/pipe'),
      // our own directory in the workspace is no store, and a file there is no proof
      forged: declaring(
        'out/forged',
        'rm work.txt; mkdir -p .tidegate/evidence/objects/aa/bb out; echo x > .tidegate/evidence/objects/aa/bb/forged',
      ),
    };
    const created = Object.fromEntries(
      Object.entries(tasks).map(([id, task]) => {
        const [shell = '', flag = '', script = ''] = task.command;
        const made = script
          .replace('rm work.txt;', `rm work.txt; echo x > ${id}.txt;`)
          .replace('echo x > out/missing.txt', 'true');
        return [id, { ...task, owns: [`${id}.txt`], command: [shell, flag, made] }];
      }),
    );
    await using p = await project({ files, plan: plan(created) });
    const run = await ran(p);
    for (const id of Object.keys(created)) {
      expect([id, await heldBy(p, id)]).toEqual([id, ['evidence inconclusive missing-proof-artifact']]);
      expect(storeOf(p, `${run}.${id}.1`)).toEqual([]);
    }
    expect((await provenIn(p, run)).flatMap(({ proven }) => proven)).toEqual(Object.keys(created).map(() => false));
    expect((await p.cli('why', `${run}/missing`)).stdout).toContain('the proof out/missing was not left');
    expect(await eventsOf(p, 'merged')).toEqual([]);
  }, 120_000);

  test('of an earlier attempt counts no more after a rework, and is freed when its work is dropped', async () => {
    const once = work(
      `[ -e second ] || { mkdir -p out; echo ok > out/report.txt; }; touch second; ${done('durability=durable')}`,
      { owns: ['work.txt', 'second'], proofs, exit: { durability: 'durable' } },
    );
    await using p = await project({ files, plan: plan({ a: once }, { land: 'branch', partial: 'hold' }) });
    const other = scripted('exit 3');
    p.write('plan.yaml', JSON.stringify({ ...plan({ a: once, b: other }), partial: 'hold' }));
    const run = await ran(p);
    expect(await heldBy(p, 'a')).toEqual([]);
    expect(await provenIn(p, run)).toMatchObject([{ closed: false, proven: [true, false] }]);
    expect(storeOf(p, `${run}.a.1`)).toHaveLength(1);
    expect((await p.cli('rework', `${run}/a`, '-m', 'once more')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect(await heldBy(p, 'a')).toEqual(['evidence inconclusive missing-proof-artifact']);
    expect(await provenIn(p, run)).toMatchObject([{ proven: [false, false] }]);
    expect((await p.cli('clean')).code).toBe(0);
    expect(storeOf(p, `${run}.a.1`)).toHaveLength(1);
    expect((await p.cli('drop', `${run}/a`)).code).toBe(0);
    expect((await p.cli('clean')).code).toBe(0);
    expect(storeOf(p, `${run}.a.1`)).toEqual([]);
  }, 120_000);

  test('with a secret in it holds the task and is kept nowhere', async () => {
    const leaking = work(`mkdir out; printf 'k = "ghp_%036d"' 7 > out/report.txt; ${done()}`, { proofs });
    await using p = await project({ files, plan: plan({ a: leaking }) });
    const run = await ran(p);
    expect(await heldBy(p, 'a')).toEqual(['secrets fail secret-shape', 'evidence inconclusive missing-proof-artifact']);
    expect(storeOf(p, `${run}.a.1`)).toEqual([]);
  }, 120_000);
});

describe('a claim', () => {
  const exit = { completion: 'integrated', proof: 'unit' };

  test('below its contract holds the task, and says what is expected', async () => {
    const low = work(done('completion=contract', 'proof=unit'), { exit });
    const silent = work(done(), { exit });
    const gap = work(done('completion=integrated', 'proof=unit', 'state=gap'), { exit });
    const owning = (task: object, id: string) => ({ ...task, owns: [`${id}.txt`] });
    const renamed = (task: ReturnType<typeof work>, id: string) => ({
      ...owning(task, id),
      command: task.command.map((word: string) => word.replace('work.txt', `${id}.txt`)),
    });
    const tasks = { low: renamed(low, 'low'), silent: renamed(silent, 'silent'), gap: renamed(gap, 'gap') };
    await using p = await project({ files, plan: plan(tasks, { checks: [check] }) });
    const run = await ran(p);
    const unproven = 'evidence inconclusive missing-proof';
    expect(await heldBy(p, 'low')).toEqual(['exit-contract fail completion-gap', unproven]);
    expect(await heldBy(p, 'silent')).toEqual([
      ...['exit-contract fail missing-wave-proof', 'exit-contract fail missing-wave-proof', unproven],
    ]);
    expect(await heldBy(p, 'gap')).toEqual(['exit-contract fail wave-proof-gap', unproven]);
    expect((await p.cli('why', `${run}/low`)).stdout).toContain('claims completion contract');
    const prompt = await p.cli('prompt', 'plan.yaml', 'low');
    if (prompt.code === 0) expect(prompt.stdout).toContain('--claim completion=integrated');
    expect(await eventsOf(p, 'merged')).toEqual([]);
  }, 120_000);

  test('of unit is held up by the checks on the snapshot itself, and by nothing when they fail', async () => {
    const claims = ['completion=integrated', 'proof=unit'];
    const tasks = {
      good: scripted(`echo x > good.txt; ${done(...claims)}`, { owns: ['good.txt'], exit }),
      bad: scripted(`echo x > broken; ${done(...claims)}`, { owns: ['broken'], exit }),
    };
    await using p = await project({ files, plan: plan(tasks, { checks: [check] }) });
    const run = await ran(p);
    expect(await heldBy(p, 'good')).toEqual([]);
    expect(await heldBy(p, 'bad')).toEqual(['evidence fail check']);
    const trees = (await snapshotsOf(p)).map(({ tree }) => tree).toSorted();
    const checked = (await eventsOf(p, 'check-ended')).filter(({ purpose }) => purpose === 'snapshot');
    expect(checked.map((one) => one.check.tree).toSorted()).toEqual(trees);
    expect((await eventsOf(p, 'merged')).flatMap(({ tasks: merged }) => merged.map(({ task }) => task))).toEqual([
      'good',
    ]);
    expect(await provenIn(p, run)).toMatchObject([{ proven: [true, false] }]);
    expect(checkHistory(await p.events())).toEqual([]);
    expect((await p.cli('replay', run)).code).toBe(0);
  }, 120_000);

  test('is not made by accepting a snapshot', async () => {
    const partial = 'tidegate handoff partial -m half --remaining rest';
    await using p = await project({ files, plan: plan({ a: work(partial, { exit }) }, { checks: [check] }) });
    const run = await ran(p);
    const [snapshot] = await snapshotsOf(p);
    expect((await p.cli('accept', `${run}/a`, '--snapshot', snapshot?.commit ?? '')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect(await heldBy(p, 'a')).toEqual([
      ...['exit-contract fail missing-wave-proof', 'exit-contract fail missing-wave-proof'],
      'evidence inconclusive missing-proof',
    ]);
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect((await p.cli('why', `${run}/a`)).stdout).toContain('tidegate rework');

    // the only way around is a reason of a person, for exactly this tree
    expect((await p.cli('resolve', `${run}/contract-a`)).code).toBe(2);
    expect((await p.cli('resolve', `${run}/contract-a`, '-m', 'I ran the tests by hand')).code).toBe(0);
    await p.cli('resume', run, '--land', '--json');
    expect(await heldBy(p, 'a')).toEqual([]);
    expect(p.git('show', 'main:work.txt')).toBe('work');
    expect(checkHistory(await p.events())).toEqual([]);
    expect((await p.cli('verify')).code).toBe(0);
    expect((await p.cli('replay', run)).code).toBe(0);
  }, 120_000);
});

test('a deliverable of which only the mode changed was not made; one that was made is named by its blob', async () => {
  const delivering = (script: string, path: string) =>
    scripted(`${script}; tidegate handoff done -m did`, { owns: [path], deliverables: [path] });
  const tasks = {
    same: delivering('chmod +x README.md', 'README.md'),
    made: delivering('echo new > made.txt', 'made.txt'),
  };
  await using p = await project({ files, plan: plan(tasks) });
  await ran(p);
  expect(await heldBy(p, 'same')).toEqual(['deliverables fail deliverable-missing']);
  expect(await heldBy(p, 'made')).toEqual([]);
  const made = (await snapshotsOf(p)).flatMap((snapshot) => snapshot.made ?? []);
  p.write('same-content', 'new\n');
  expect(made).toEqual([{ path: 'made.txt', blob: p.git('hash-object', 'same-content') }]);
}, 120_000);
