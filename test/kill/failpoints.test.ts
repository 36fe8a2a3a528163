import { afterAll, describe, expect, test } from 'vitest';
import { hitsOf, killAt, killAtEach, killOverAndOver, type Scenario, scenarios } from '../support/kill.ts';
import { allFailpoints } from '../support/sweep.ts';

/** No scenario here comes by: each is killed by a test of its own. */
const elsewhere: Readonly<Record<string, string>> = {
  'merger-branch-made': 'test/e2e/pull-request.test.ts',
  'merger-push-intended': 'test/e2e/pull-request.test.ts',
  'merger-branch-pushed': 'test/e2e/pull-request.test.ts',
  'merger-push-recorded': 'test/e2e/pull-request.test.ts',
  'merger-request-intended': 'test/e2e/pull-request.test.ts',
  'merger-request-opened': 'test/e2e/pull-request.test.ts',
  'merger-request-recorded': 'test/e2e/pull-request.test.ts',
  'merger-lfs-copied': 'test/e2e/lfs-landing.test.ts',
  'webhook-record-before': 'test/e2e/webhooks.test.ts',
  'webhook-recorded': 'test/e2e/webhooks.test.ts',
  'webhook-settled': 'test/e2e/webhooks.test.ts',
  'webhook-taken': 'test/e2e/webhooks.test.ts',
  'supervisor-message-before': 'test/e2e/steering.test.ts',
  'supervisor-message-handed': 'test/e2e/steering.test.ts',
  'disk-remove-before': 'test/e2e/disk-cap.test.ts',
  'disk-removed': 'test/e2e/disk-cap.test.ts',
  'merger-recovery-file-removed': 'test/e2e/landing.test.ts',
  'merger-recovery-settled': 'test/e2e/landing.test.ts',
  'merger-recovery-unlocked': 'test/e2e/landing.test.ts',
};
const inLedger = (name: string): boolean => name.startsWith('ledger-');
const swept = allFailpoints().filter((name) => !(name in elsewhere) && !inLedger(name));
/** How many hits of one failpoint are tried; more by TIDEGATE_KILLS_PER_FAILPOINT. */
const most = Number(process.env['TIDEGATE_KILLS_PER_FAILPOINT'] ?? 1);
/** How many commits a life lasts; 2 kills at the most of them that lets a run go on. */
const commits = Number(process.env['TIDEGATE_COMMITS_PER_LIFE'] ?? 5);

const hits = await Promise.all(scenarios.map(async (scenario) => ({ scenario, counts: await hitsOf(scenario) })));
/** The first scenario that comes by a failpoint. */
const placed = swept.map((name) => ({ name, ...hits.find(({ counts }) => counts.has(name)) }));
let kills = 0;
afterAll(() => console.log(`${kills} kills at ${swept.length} failpoints and in the ledger`));

test('a scenario comes by every failpoint', () => {
  expect(placed.filter(({ scenario }) => scenario === undefined).map(({ name }) => name)).toEqual([]);
});

describe.concurrent('killed at a failpoint and brought to its end, a run keeps I1 to I10:', () => {
  test.each(placed.filter(({ scenario }) => most > 1 || !isRun(scenario)))(
    '$name',
    { timeout: 300_000 },
    async ({ name, scenario, counts }) => {
      if (scenario === undefined) throw new Error('no scenario comes by this failpoint');
      const last = Math.min(most, counts?.get(name) ?? 0);
      for (let hit = 1; hit <= last; hit += 1) await killOne(scenario, name, hit);
    },
  );

  test.each(most > 1 ? [] : groups())('$title', { timeout: 300_000 }, async ({ scenario, names }) => {
    const { missed, problems } = await killAtEach(scenario, names);
    expect(problems, scenario.name).toEqual([]);
    kills += names.length - missed.length;
    // recovery took another way past it
    for (const name of missed) await killOne(scenario, name, 1);
  });
});

async function killOne(scenario: Scenario, name: string, hit: number): Promise<void> {
  const outcome = await killAt(scenario, name, hit);
  expect(outcome, `${scenario.name}, hit ${hit}`).toEqual({ reached: true, problems: [] });
  kills += 1;
}

function isRun(scenario: Scenario | undefined): boolean {
  return scenario?.during[0] === 'run';
}

/** Failpoints of one scenario, four at a time, far apart: neighbours are steps of one recovery. */
function groups() {
  return scenarios.filter(isRun).flatMap((scenario) => {
    const names = placed.filter((one) => one.scenario === scenario).map(({ name }) => name);
    const count = Math.ceil(names.length / 4);
    return Array.from({ length: count }, (_, group) => {
      const taken = names.filter((_name, at) => at % count === group);
      return { scenario, names: taken, title: taken.join(', ') };
    });
  });
}

describe.concurrent(`killed every ${commits} commits, life after life, a run ends all the same:`, () => {
  test.each(allFailpoints().filter(inLedger))('%s', { timeout: 300_000 }, async (name) => {
    const [scenario] = scenarios;
    if (scenario === undefined) throw new Error('there is no scenario');
    const killed = await killOverAndOver(scenario, name, commits);
    kills += killed.kills;
    expect(killed.problems).toEqual([]);
    expect(killed.kills).toBeGreaterThanOrEqual(5);
  });
});
