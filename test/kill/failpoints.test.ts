import { afterAll, describe, expect, test } from 'vitest';
import { killAt, scenarios } from '../support/kill.ts';
import { allFailpoints } from '../support/sweep.ts';

/** No scenario here comes by: each is killed by a test of its own. */
const elsewhere: Readonly<Record<string, string>> = {
  'merger-recovery-file-removed': 'test/e2e/landing.test.ts',
  'merger-recovery-settled': 'test/e2e/landing.test.ts',
  'merger-recovery-unlocked': 'test/e2e/landing.test.ts',
};
const most = Number(process.env['TIDEGATE_KILLS_PER_FAILPOINT'] ?? 24);
let kills = 0;

describe.concurrent('killed at a failpoint and brought to its end, a run keeps I1 to I10:', () => {
  const swept = allFailpoints().filter((name) => !(name in elsewhere));
  test.each(swept)('%s', { timeout: 600_000 }, async (name) => {
    let reached = 0;
    for (const scenario of scenarios) {
      for (let hit = 1; hit <= most; hit += 1) {
        const outcome = await killAt(scenario, name, hit);
        if (!outcome.reached) break;
        reached += 1;
        expect(outcome.problems, `${scenario.name}, hit ${hit}`).toEqual([]);
      }
      if (reached > 0) break;
    }
    kills += reached;
    expect(reached, 'no scenario comes by this failpoint').toBeGreaterThan(0);
  });

  afterAll(() => console.log(`${kills} kills at ${swept.length} failpoints`));
});
