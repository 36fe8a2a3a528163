import { afterAll, describe, expect, test } from 'vitest';
import { scenarios } from '../support/kill.ts';
import { durableWritesOf, strikeAt, type Target, whyUnarmed } from '../support/strike.ts';

const [landing, , undoing] = scenarios;
if (landing === undefined || undoing === undefined) throw new Error('the scenarios of the sweep are missing');
/** `kills` are spread over all durable writes of the process; times TIDEGATE_KILLS_AT_WRITES, which may strike every one. */
const sweeps = [
  { of: 'coordinator', scenario: landing, kills: 10 },
  { of: 'merger', scenario: landing, kills: 8 },
  { of: 'git', scenario: landing, kills: 6 },
  { of: 'merger', scenario: undoing, kills: 3 },
  { of: 'git', scenario: undoing, kills: 3 },
] as const;
const times = Number(process.env['TIDEGATE_KILLS_AT_WRITES'] ?? 1);

const unarmed = whyUnarmed();
if (unarmed !== null) console.log(`SKIPPED: no process is killed at its durable writes, because ${unarmed}`);
const counts: string[] = [];

describe
  .skipIf(unarmed !== null)
  .concurrent('killed at a durable write and brought to its end, a run keeps I1 to I10:', () => {
    test.each(sweeps)('$of, $scenario.name', { timeout: 1_800_000 }, async ({ of, scenario, kills }) => {
      const targets = spread(await durableWritesOf(scenario, of), kills * times);
      let struck = 0;
      for (const target of targets) {
        const outcome = await strikeAt(scenario, target).catch((cause: unknown) => {
          throw new Error(`struck at ${JSON.stringify(target)}: ${String(cause)}`, { cause });
        });
        struck += outcome.reached ? 1 : 0;
        expect(outcome.problems, JSON.stringify(target)).toEqual([]);
      }
      counts.push(`${struck} of ${targets.length} ${of} (${scenario.name})`);
      // which git comes when is not the same in every run: a few strike nothing
      expect(struck).toBeGreaterThanOrEqual(Math.ceil(targets.length * (of === 'git' ? 0.5 : 0.8)));
    });

    afterAll(() => console.log(`kills at durable writes: ${counts.join(', ')}`));
  });

/** As many of each kind of call, evenly over the whole run. */
function spread(targets: readonly Target[], most: number): readonly Target[] {
  const kinds = [...Map.groupBy(targets, ({ call }) => call).values()];
  const share = Math.ceil(most / Math.max(1, kinds.length));
  const picked = kinds.flatMap((kind) => {
    const step = Math.max(1, kind.length / share);
    return kind.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  });
  return picked.slice(0, Math.max(most, kinds.length));
}
