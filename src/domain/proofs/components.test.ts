import { expect, test } from 'vitest';
import { plan } from '../../../test/support/plans.ts';
import { taskId } from '../base/ids.ts';
import { completePromotions, skippedIn } from './components.ts';

const [a, b, c] = [taskId('a'), taskId('b'), taskId('c')];
const planned = plan([
  { a: { promotes: { parser: 'repo-landed' } }, b: { promotes: { parser: 'repo-landed' } } },
  { c: { promotes: { parser: 'baseline-proved' } } },
]);

test('a component is promoted by the round with the last of its owners', () => {
  const names = (wave: number, inRound: readonly (typeof a)[], finished: readonly (typeof a)[]) =>
    completePromotions(planned, wave, { inRound, finished }).map(({ component, to }) => `${component} ${to}`);
  expect(names(0, [a], [])).toEqual([]);
  expect(names(0, [a, b], [])).toEqual(['parser repo-landed']);
  expect(names(0, [b], [a])).toEqual(['parser repo-landed']);
  expect(names(0, [], [a, b])).toEqual([]);
  expect(names(1, [c], [])).toEqual(['parser baseline-proved']);
});

test('a component that an earlier wave did not promote would skip a level', () => {
  expect([...skippedIn(planned, [0], () => [])]).toEqual(['parser']);
  expect([...skippedIn(planned, [0], () => ['parser'])]).toEqual([]);
  expect([...skippedIn(planned, [], () => [])]).toEqual([]);
});
