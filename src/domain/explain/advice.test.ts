import { expect, test } from 'vitest';
import { runId, taskId } from '../ids.ts';
import { describeRefusal, explain, sentenceOf } from './explain.ts';

const at = { run: runId('demo-ab12'), task: taskId('a') };

test('what to do and what to type then are one line, unless they are asked for apart', () => {
  const red = { rule: 'check-red', run: at.run, check: 'test' } as const;
  expect(explain(red).fix).toBe('fix the check, then: tidegate resume demo-ab12 --replan');
  expect(sentenceOf(red)).toMatchObject({ fix: 'fix the check', command: 'tidegate resume demo-ab12 --replan' });
});

test('a refused undo names the command that asks again, or the one that its cause knows', () => {
  const refused = (because: Parameters<typeof explain>[0]) => describeRefusal({ rule: 'undo-refused', ...at, because });
  expect(refused({ rule: 'branch-gone', branch: 'main' })).toBe(
    'the branch main is gone; bring the branch back, then: tidegate undo demo-ab12/a',
  );
  expect(refused({ rule: 'branch-moved-on', branch: 'main' })).toBe('main has moved on; git branch -D main');
});
