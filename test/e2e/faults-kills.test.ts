import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { allEnded, problemsOf, scenarios } from '../support/kill.ts';
import { answerEverything } from '../support/person.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { strikeEnvironment, wasStruck, whyUnarmed } from '../support/strike.ts';
import { armed } from '../support/sweep.ts';

const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
const plan = { land: 'auto', tasks: { one } };
const typesIn = async (p: Project) => (await p.events()).map(({ event }) => event.type);
const count = (types: readonly string[], type: string) => types.filter((found) => found === type).length;
const runOf = async (p: Project) => (await p.events()).find(({ stream }) => stream !== 'repo')?.stream ?? '';

describe.concurrent('killed between the yes of a person and its record (K3),', () => {
  const points = ['ledger-before-commit', 'ledger-after-commit', 'ledger-after-head', 'coordinator-epoch-taken'];
  test.each(points)('at %s, the start still waits or is decided once', { timeout: 300_000 }, async (point) => {
    const reached: number[] = [];
    for (const hit of [1, 2, 3]) {
      await using p = await project({ plan });
      expect(await p.cli('run', 'plan.yaml', '--json')).toMatchObject({ code: 43 });
      const run = await runOf(p);
      const fire = armed(p.root, point, hit);
      const said = await ended(p.start(['approve', run, '--json'], fire.env));
      await allEnded(p, ['cli', 'merger']);
      if (!fire.wasReached()) break;
      reached.push(hit);
      const before = await typesIn(p);
      expect(count(before, 'tap-decided')).toBeLessThanOrEqual(1);
      // whoever was told yes finds it in the ledger
      if (said.code === 0) expect(count(before, 'tap-decided')).toBe(1);
      if (count(before, 'requested-approve') === 0) expect(count(before, 'attempt-intended')).toBe(0);
      await answerEverything(p, run);
      const after = await typesIn(p);
      expect([count(after, 'tap-decided'), count(after, 'attempt-intended'), count(after, 'landed')]).toEqual([
        1, 1, 1,
      ]);
    }
    expect(reached.length).toBeGreaterThan(0);
  });
});

/** Passes only in a clean checkout, and only when it is told to. */
const slowCheck =
  'test -e one.txt || exit 0; test ! -e half || exit 9; echo half > half; until test -e go; do sleep 0.02; done';

describe('killed in the middle of a check (K11),', () => {
  const checked = { ...plan, checks: [{ name: 'test', run: slowCheck }] };

  test('the coordinator alone: the check goes on and its result is taken, once', { timeout: 120_000 }, async () => {
    await using p = await project({ plan: checked });
    const run = p.start(['run', 'plan.yaml', '--yes', '--json']);
    const [half] = await halfChecks(p, 1);
    run.kill('SIGKILL');
    await ended(run);
    expect(count(await typesIn(p), 'wave-closed')).toBe(0);
    writeFileSync(join(dirname(half), 'go'), '');
    expect(await p.cli('resume', '--json')).toMatchObject({ code: 0 });
    expect(halves(p)).toEqual([half]);
    expect(await outcomes(p)).toEqual(['passed', 'passed']);
  });

  test('with its supervisor: it runs again in a clean checkout, and half a result is not used', {
    timeout: 120_000,
  }, async () => {
    await using p = await project({ plan: checked });
    const run = p.start(['run', 'plan.yaml', '--yes', '--json']);
    const [half] = await halfChecks(p, 1);
    run.kill('SIGKILL');
    await ended(run);
    process.kill(supervisorOf(half), 'SIGKILL');
    await allEnded(p, ['cli', 'merger']);
    const again = p.start(['resume', '--json']);
    const second = (await halfChecks(p, 2)).find((path) => path !== half) ?? '';
    expect(count(await typesIn(p), 'wave-closed')).toBe(0);
    writeFileSync(join(dirname(second), 'go'), '');
    expect(await ended(again)).toMatchObject({ code: 0 });
    expect((await outcomes(p)).filter((outcome) => outcome === 'passed')).toEqual(['passed', 'passed']);
  });

  const halves = (p: Project): string[] => globSync(join(p.root, 'state/*/jobs/*.check.*/workspace/half'));
  const halfChecks = async (p: Project, least: number): Promise<[string, ...string[]]> => {
    for (;;) {
      const [first, ...rest] = halves(p);
      if (first !== undefined && rest.length + 1 >= least) return [first, ...rest];
      await nextLook(20);
    }
  };
  const supervisorOf = (half: string): number => {
    const record = readFileSync(join(dirname(dirname(half)), 'supervisor.json'), 'utf8');
    return Number(/"pid":(\d+)/.exec(record)?.[1]);
  };
  const outcomes = async (p: Project) =>
    (await p.events()).flatMap(({ event }) => (event.type === 'check-ended' ? [event.check.outcome] : []));
});

const unarmed = whyUnarmed();
if (unarmed !== null) console.log(`SKIPPED: no process is killed in the middle of cleaning, because ${unarmed}`);

test.skipIf(unarmed !== null)(
  'killed in the middle of cleaning (K17), snapshots are there and cleaning ends it',
  { timeout: 120_000 },
  async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'x\n']));
    await using p = await project({ plan, files });
    expect(await p.cli('run', 'plan.yaml', '--yes', '--json')).toMatchObject({ code: 0 });
    const workspaces = () => globSync(join(p.root, 'state/*/jobs/*/workspace/f*'));
    const all = workspaces().length;
    for (const at of [1, 20]) {
      const log = join(p.root, `strike-${at}`);
      const strike = strikeEnvironment({ program: 'cli', word: 'clean', call: 'unlink', at, threads: true, log });
      await ended(p.start(['clean', '--json'], { ...strike, UV_THREADPOOL_SIZE: '1' }));
      await allEnded(p, ['cli', 'merger']);
      expect(wasStruck(log)).toBe(true);
      const left = workspaces().length;
      expect(left).toBeGreaterThan(0);
      if (at > 1) expect(left).toBeLessThan(all);
      const attempts = (await p.events()).flatMap(({ event }) =>
        event.type === 'attempt-ended' ? [event.snapshot?.commit] : [],
      );
      expect((await p.cli('rescue')).stdout).toContain('refs/tidegate/attempts/');
      for (const commit of attempts) p.git('--git-dir', p.state().repository, 'cat-file', '-e', `${commit}^{tree}`);
    }
    expect(await p.cli('clean')).toMatchObject({ code: 0 });
    expect(globSync(join(p.root, 'state/*/jobs/*/workspace'))).toEqual([]);
    expect(await p.cli('verify')).toMatchObject({ code: 0 });
  },
);

test('recovery that is killed three times in a row ends as if nothing had happened (K18)', {
  timeout: 300_000,
}, async () => {
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error('no scenario');
  const sieges = [
    ['ledger-after-commit#8', 'coordinator-epoch-taken#1', 'ledger-before-commit#2', 'ledger-after-commit#2'],
    ['merger-run-branch-moved#1', 'ledger-before-commit#1', 'ledger-after-head#3', 'coordinator-epoch-taken#1'],
    ['ledger-after-commit#20', 'ledger-after-head#1', 'ledger-after-head#1', 'ledger-after-head#1'],
  ];
  for (const siege of sieges) {
    await using p = await project({ plan: scenario.plan });
    const struck: string[] = [];
    for (const [turn, point] of siege.entries()) {
      const tally = join(p.root, `tally-${turn}`);
      const words = turn === 0 ? scenario.during : ['resume', await runOf(p), '--yes', '--land', '--json'];
      await ended(p.start(words, { TIDEGATE_FAILPOINT: `${point}@${tally}` }));
      if (turn > 0 && existsSync(tally)) struck.push(point);
    }
    expect(struck.length).toBe(3);
    await answerEverything(p, await runOf(p));
    expect([siege, await problemsOf(p, scenario)]).toEqual([siege, []]);
  }
});

test('a watching client that is killed is not noticed, and the next one sees every event (K21)', {
  timeout: 120_000,
}, async () => {
  await using p = await project({ plan });
  expect(await p.cli('run', 'plan.yaml', '--json')).toMatchObject({ code: 43 });
  const run = await runOf(p);
  expect(await p.cli('approve', run, '--json')).toMatchObject({ code: 0 });
  const first = following(p);
  await first.until((seen) => seen.length > 3);
  first.child.kill('SIGKILL');
  expect(await p.cli('resume', run, '--json')).toMatchObject({ code: 0 });
  const second = following(p);
  const last = (await p.events()).at(-1)?.seq ?? 0;
  // the coordinator may add that it stopped
  await second.until((seen) => (seen.at(-1) ?? 0) >= last);
  second.child.kill('SIGKILL');
  expect(second.seen().slice(0, last)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect(second.seen().slice(0, first.seen().length)).toEqual(first.seen());
  expect(p.git('show', 'main:one.txt')).toBe('one');
});

/** `events --follow --all`, and the sequence numbers it has shown. */
function following(p: Project) {
  const child = p.start(['events', '--all', '--follow', '--json']);
  let text = '';
  const woken: (() => void)[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const wake of woken.splice(0)) wake();
  });
  const seen = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
  return {
    child,
    seen,
    until: async (isEnough: (seen: readonly number[]) => boolean) => {
      while (!isEnough(seen())) await new Promise<void>((resolve) => woken.push(resolve));
    },
  };
}
