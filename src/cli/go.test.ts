import { expect, test } from 'vitest';
import { sketched } from './go.ts';

const wavesIn = (...words: string[]) => {
  const sketch = sketched(words, null);
  return sketch.ok ? sketch.value.waves.map((wave) => wave.map((task) => task.do)) : sketch.error;
};

test('what stands before the first --then is one wave, and each --then begins the next', () => {
  expect(wavesIn('A', 'B')).toEqual([['A', 'B']]);
  expect(wavesIn('A', '--then', 'B', 'C', '--then=D')).toEqual([['A'], ['B', 'C'], ['D']]);
  expect(wavesIn('- a list\n- of things', '--flag should be documented')).toEqual([
    ['- a list\n- of things', '--flag should be documented'],
  ]);
});

test.each([
  [['A', '--dertach'], 'unknown option --dertach; see tidegate go --help'],
  [[' '], 'a task is empty; say what to do'],
  [['A', '--then='], 'a task is empty; say what to do'],
  [['--then', 'A'], 'there is no task before --then; say what to do first'],
  [['A', '--then', '--then', 'B'], '--then needs a task after it'],
  [['tasks/a.md'], 'tasks/a.md is a file, not a task; to run it: tidegate run tasks/a.md'],
])('%j is told what is wrong with it', (words, message) => {
  expect(wavesIn(...words)).toBe(message);
});
