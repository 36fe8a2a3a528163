import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { idPattern } from '../base/ids.ts';
import { planText, sketchOf } from './plan-text.ts';

const idsOf = (...waves: string[][]) => sketchOf(waves, null).waves.map((wave) => wave.map(({ id }) => id));

describe('texts as a plan', () => {
  test('are tasks whose ids can be read', () => {
    expect(idsOf(['Rate-limit POST /login to 5/min per IP, with tests.', 'Fix the typo in docs/api.md'])).toEqual([
      ['rate-limit-post-login-5-min', 'fix-typo-docs-api-md'],
    ]);
    expect(idsOf(['Überprüfe die Größe'], ['修正', '???', 'to be'])).toEqual([
      ['uberprufe-die-gro-e'],
      ['task', 'task-2', 'to-be'],
    ]);
    expect(idsOf(['x'.repeat(200)], ['x'.repeat(200)])).toEqual([['x'.repeat(28)], [`${'x'.repeat(28)}-2`]]);
  });

  test('are written as a person would write them', () => {
    const sketch = sketchOf([['Fix the login', 'Two lines:\n\n  - one'], ['Say "done": #1']], 'codex');
    expect(planText(sketch, 'made by go')).toBe(`# made by go
name: go-fix-login
agent: codex
waves:
  - tasks:
      fix-login: Fix the login
      two-lines-one: |-
        Two lines:

          - one
  - tasks:
      say-done-1: "Say \\"done\\": #1"
`);
    expect(planText(sketchOf([['Fix the login']], null), 'x')).toBe(
      '# x\nname: go-fix-login\ntasks:\n  fix-login: Fix the login\n',
    );
  });

  test('are read back as they were, whatever they say', () => {
    const text = fc
      .oneof(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc
          .array(fc.constantFrom(' ', '\n', '\t', 'a', '- ', ': ', '#', '"', "'", 'é', '\r', '|', 'true', '1'), {
            minLength: 1,
          })
          .map((parts) => parts.join('')),
      )
      .filter((one) => one.trim() !== '' && one.isWellFormed());
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }), (waves) => {
        const sketch = sketchOf(waves, null);
        const read = parse(planText(sketch, 'x'), { stringKeys: true }) as {
          tasks?: object;
          waves?: { tasks: object }[];
        };
        const written = (read.waves ?? [{ tasks: read.tasks ?? {} }]).map(({ tasks }) =>
          Object.entries(tasks).map(([id, brief]) => ({ id, do: brief as string })),
        );
        expect(written).toEqual(sketch.waves);
        expect(sketch.waves.flat().filter(({ id }) => !idPattern.test(id))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
