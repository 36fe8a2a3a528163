import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installed } from '../support/installed.ts';
import { behaviours } from './behaviours.ts';
import type { Cell } from './cell.ts';
import { driverOf } from './drivers.ts';
import { missingPrograms } from './programs.ts';
import { scenesOf } from './scenes.ts';

/** The real agent behind our fence, one behaviour after the other; what they showed is kept for the table in the docs. */
export function describeConformance(name: string): void {
  const driver = driverOf(name);
  const missing = missingPrograms(driver);
  const label = missing.length === 0 ? name : `${name}: ${missing.join(', ')} IS NOT INSTALLED`;

  describe.skipIf(missing.length > 0)(label, () => {
    const scenes = scenesOf(driver);
    const cells: Record<string, Cell> = {};
    // All at once: what they are read from takes its turn by itself.
    test.concurrent.each(behaviours)('$name', async ({ name: behaviour, show }) => {
      cells[behaviour] = await show(scenes, driver);
    });

    test('all this is what the results say, from which the table in docs/agents.md is made', async () => {
      const shown = behaviours.flatMap((behaviour) => {
        const cell = cells[behaviour.name];
        return cell === undefined ? [] : [[behaviour.name, cell] as const];
      });
      expect(shown.length).toBe(behaviours.length);
      const pins = Object.values(driver.programs);
      const program = pins.map((pin) => `${pin} ${installed(pin).version}`).join(', ');
      await expect(`${JSON.stringify({ program, cells: Object.fromEntries(shown) }, null, 2)}\n`).toMatchFileSnapshot(
        resultsFile(name),
      );
    });
  });
}

const resultsFile = (name: string): string => join(import.meta.dirname, 'results', `${name}.json`);
