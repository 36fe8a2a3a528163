import { describe, expect, test } from 'vitest';
import { explain } from '../domain/explain/explain.ts';
import type { DraftTask } from '../domain/plan/plan-draft.ts';
import { defaultSettings, type Settings } from '../domain/settings/settings.ts';
import { lintSizing } from './sizing.ts';

type Written = { readonly text?: string; readonly wave?: number; readonly keys?: DraftTask['keys'] };
const task = (id: string, { text = 'Do it', wave = 0, keys = {} }: Written): DraftTask => ({
  id,
  wave,
  place: ['tasks', id],
  file: null,
  text,
  hasFrontMatter: false,
  keys,
});
function found(tasks: readonly DraftTask[], written: Settings = {}): readonly string[] {
  const limits = { ...defaultSettings.limits, parallel: written.limits?.parallel ?? 4 };
  const settings = { ...defaultSettings, limits };
  const waves = [{ name: null, place: ['tasks'], tasks, closure: null }];
  return lintSizing({ settings, waves }, written).map((problem) => explain(problem).detail);
}
const many = (count: number, keys: DraftTask['keys'] = {}) =>
  Array.from({ length: count }, (_, at) => task(`t${at}`, { keys }));

describe('advice on size', () => {
  test('is given of a task that is large for one agent', () => {
    expect(found([task('a', { text: '# A\n\nRedesign the shop' })])).toEqual([
      '`a` is large for one agent: its brief says redesign, and it owns no narrow path',
    ]);
    expect(found([task('a', { text: 'Redesign the shop', keys: { owns: ['src/'] } })])).toHaveLength(1);
    const owns = Array.from({ length: 16 }, (_, at) => `src/${at}.ts`);
    expect(found([task('a', { keys: { owns } })])).toEqual(['`a` is large for one agent: it owns 16 patterns']);
    expect(found([task('a', { text: 'x\n'.repeat(151) })])).toEqual([
      '`a` is large for one agent: its brief has 151 lines',
    ]);
  });

  test('is not given where it would not help', () => {
    const text = 'Redesign the shop';
    expect(found([task('narrow', { text, keys: { owns: ['src/shop/cart.ts'] } })])).toEqual([]);
    expect(found([task('reads', { text, keys: { owns: [] } })])).toEqual([]);
    expect(found([task('program', { text, keys: { command: ['make'] } })])).toEqual([]);
    expect(found([task('explored', { text, wave: 1 })])).toEqual([]);
    expect(found([task('later', { text: 'Fix the menu.\n\nIts architecture is in docs/a.md' })])).toEqual([]);
    expect(found(many(30))).toEqual([]);
    expect(found([task('a', {})], { limits: { minutes: 120 } })).toEqual([]);
  });

  test('is given of a wave in which too many write at once', () => {
    const wide: Settings = { limits: { parallel: 8 } };
    expect(found(many(9), wide)).toEqual(['8 tasks of this wave would write at the same time']);
    expect(found(many(5), wide)).toEqual([]);
    expect(found(many(9, { owns: [] }), wide)).toEqual([]);
    expect(found(many(9, { needs: ['t0'] }), wide)).toEqual([]);
  });

  test('is given of a limit of time that no task should need', () => {
    expect(found([task('a', {})], { limits: { minutes: 121 } })).toEqual([
      '`limits.minutes: 121` is far more than a task should take',
    ]);
  });
});
