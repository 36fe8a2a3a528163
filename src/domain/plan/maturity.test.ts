import { describe, expect, test } from 'vitest';
import { templates } from '../../planner/templates.ts';
import { explain } from '../explain/explain.ts';
import { isStep, maturity, stepTowards } from './maturity.ts';
import type { DraftTask } from './plan-draft.ts';
import { lintMaturity } from './plan-lint.ts';

const task = (id: string, wave: number, completion: string, components = ['shop']): DraftTask => ({
  id,
  wave,
  place: ['waves', wave, 'tasks', id],
  file: null,
  text: '',
  hasFrontMatter: false,
  keys: { components, exit: { completion } },
});
const found = (...tasks: DraftTask[]) => lintMaturity(tasks).map((problem) => explain(problem).detail);

describe('maturity', () => {
  test('goes up by one step, or stays', () => {
    for (const [from, one] of maturity.entries())
      for (const [to, other] of maturity.entries()) {
        expect(isStep(one, other)).toBe(to === from || to === from + 1);
        if (to >= from) expect(isStep(one, stepTowards(one, other))).toBe(true);
      }
  });

  test('that a plan declares is held to that, component by component', () => {
    expect(found(task('a', 0, 'contract-frozen'), task('b', 1, 'repo-landed'))).toEqual([]);
    expect(found(task('a', 0, 'contract-frozen'), task('b', 1, 'pilot-live'))).toEqual([
      '`b` takes `shop` from contract-frozen to pilot-live in one wave, which skips repo-landed and baseline-proved',
    ]);
    expect(found(task('a', 0, 'repo-landed'), task('b', 2, 'inventoried'))).toEqual([
      '`b` takes `shop` from repo-landed to inventoried in one wave, which is a step back',
    ]);
    expect(found(task('a', 0, 'inventoried', ['x']), task('b', 1, 'pilot-live', ['y']))).toEqual([]);
    expect(found(task('a', 0, 'integrated'), task('b', 1, 'live'))).toEqual([]);
  });

  test('of a wave is the highest that one of its tasks reaches', () => {
    const [low, high] = [task('a', 0, 'inventoried'), task('b', 0, 'contract-frozen')];
    expect(found(high, low, task('c', 1, 'repo-landed'))).toEqual([]);
    expect(found(low, high, task('c', 1, 'repo-landed'))).toEqual([]);
  });

  test('of templates never skips a step', () => {
    for (const template of Object.values(templates))
      for (const [at, { level }] of template.entries())
        expect(isStep(template[at - 1]?.level ?? level, level)).toBe(true);
  });
});
