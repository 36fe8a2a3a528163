import { hash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { type Target, whyUnarmed } from '../support/strike.ts';
import { strike, sweeps, targetsOf } from './sweeps.ts';

const unarmed = whyUnarmed();
if (unarmed !== null) console.log(`SKIPPED: no process is killed at its durable writes, because ${unarmed}`);
const seed = process.env['TIDEGATE_KILLS_SEED'] ?? '1';
const counts: string[] = [];
const named = sweeps
  .filter(({ kills }) => kills > 0)
  .map((sweep) => ({ ...sweep, title: `${sweep.of}, ${sweep.scenario.name}` }));

describe
  .skipIf(unarmed !== null)
  .concurrent('killed at some of its durable writes and brought to its end, a run keeps I1 to I10:', () => {
    test.each(named)('$title', { timeout: 600_000 }, async (sweep) => {
      const targets = sample(await targetsOf(sweep), sweep.kills);
      let struck = 0;
      for (const target of targets) {
        const { label, reached, problems } = await strike(sweep, target);
        struck += reached ? 1 : 0;
        expect(problems, label).toEqual([]);
      }
      counts.push(`${struck} of ${targets.length} ${sweep.title}`);
      // which process comes when is not the same in every run: a few strike nothing
      expect(struck).toBeGreaterThanOrEqual(Math.floor(targets.length * 0.5));
    });

    afterAll(() => console.log(`kills at durable writes (seed ${seed}): ${counts.join('; ')}`));
  });

/** As many of each kind of call; which ones, the seed says. */
function sample(targets: readonly Target[], most: number): readonly Target[] {
  const key = (target: Target): string => hash('sha256', `${seed} ${JSON.stringify(target)}`);
  const kinds = Map.groupBy(targets, ({ call }) => call).values();
  const ranked = [...kinds].flatMap((kind) =>
    kind.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map((target, rank) => ({ target, rank })),
  );
  const ordered = ranked.toSorted((a, b) => a.rank - b.rank || (key(a.target) < key(b.target) ? -1 : 1));
  return ordered.slice(0, most).map(({ target }) => target);
}
