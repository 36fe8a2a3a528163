import { expect, test } from 'vitest';
import { sketchWords } from './go.ts';

const wavesIn = (...words: string[]) => {
  const sketch = sketchWords(words, null);
  return sketch.ok ? sketch.value.waves.map((wave) => wave.map((task) => task.do)) : sketch.error;
};

test('what stands before the first --then is one wave, and each --then begins the next', () => {
  expect(wavesIn('A', 'B')).toEqual([['A', 'B']]);
  expect(wavesIn('A', '--then', 'B', 'C', '--then=D')).toEqual([['A'], ['B', 'C'], ['D']]);
  expect(wavesIn('- a list\n- of things', '--flag should be documented')).toEqual([
    ['- a list\n- of things', '--flag should be documented'],
  ]);
});

test('what is owned stands behind its task, or anywhere with a single one', () => {
  const ownedIn = (...words: string[]) => {
    const sketch = sketchWords(words, null);
    return sketch.ok ? sketch.value.waves.flat().map(({ keys }) => keys?.owns ?? null) : sketch.error;
  };
  expect(ownedIn('A', '--owns', 'a/**', 'Do B', '--owns=b', '--owns=c')).toEqual([['a/**'], ['b', 'c']]);
  expect(ownedIn('A', 'B', '--then', 'C', '--owns', 'c')).toEqual([null, null, ['c']]);
  expect(ownedIn('--owns', 'a', 'Do A')).toEqual([['a']]);
});

test.each([
  [['--owns', 'a', 'Do A', 'Do B'], 'put --owns after the task that it belongs to'],
  [['A', '--then', '--owns', 'a', 'Do B'], 'put --owns after the task that it belongs to'],
  [['A', '--owns'], '--owns needs a pattern after it'],
  [['A', '--owns', '--then', 'B'], '--owns needs a pattern after it'],
  [['A', '--owns', 'src/a', 'src/b'], "is src/b another path? Put the pattern in quotes: --owns 'src/**'"],
  [['A', '--dertach'], 'unknown option --dertach; see tidegate go --help'],
  [[' '], 'a task is empty; write what to do'],
  [['A', '--then='], 'a task is empty; write what to do'],
  [['--then', 'A'], 'there is no task before --then; write what to do first'],
  [['A', '--then', '--then', 'B'], '--then needs a task after it'],
  [['tasks/a.md'], 'tasks/a.md is a file, not a task; to run it: tidegate run tasks/a.md'],
])('%j is refused with a reason', (words, message) => {
  expect(wavesIn(...words)).toBe(message);
});
