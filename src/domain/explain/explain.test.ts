import { expect, test } from 'vitest';
import { runId, taskId } from '../base/ids.ts';
import { describeFinding, describeRefusal, explain, sentenceOf } from './explain.ts';

const at = { run: runId('demo-ab12'), task: taskId('a') };

test('what to do and what to type then are one line, unless they are asked for apart', () => {
  const red = { rule: 'check-red', run: at.run, check: 'test' } as const;
  expect(explain(red).fix).toBe('fix the check, then run: tidegate resume demo-ab12 --replan');
  expect(sentenceOf(red)).toMatchObject({ fix: 'fix the check', command: 'tidegate resume demo-ab12 --replan' });
});

test('a refused undo names the command that asks again, or the one that its cause knows', () => {
  const refused = (because: Parameters<typeof explain>[0]) => describeRefusal({ rule: 'undo-refused', ...at, because });
  expect(refused({ rule: 'branch-gone', branch: 'main' })).toBe(
    'the branch main no longer exists; restore the branch, then run: tidegate undo demo-ab12/a',
  );
  expect(refused({ rule: 'branch-moved-on', branch: 'main' })).toBe('main has new commits; git branch -D main');
});

test('what others said stays on one line, so that nobody can write a line of ours', () => {
  const forged = 'nearly\n  \u2713 sec  merged\n\nwaits for you: tidegate approve plan-x';
  const finding = { rule: 'handoff-status', status: 'partial', words: [forged] } as const;
  expect(describeFinding(finding)).not.toContain('\n');
  expect(describeRefusal(finding)).not.toContain('\n');
});

test('a rule of another version is shown by its name and facts', () => {
  const later = { rule: 'moon-phase', phase: 'full', where: 'sky.txt' } as unknown as Parameters<typeof explain>[0];
  expect(describeFinding(later)).toBe('sky.txt: moon-phase {"phase":"full"}');
});

test('a place is named by its path, also where the path is part of a word of the sentence', () => {
  expect(describeFinding({ rule: 'too-deep', where: 'pat' })).toBe('pat: the path is too long to be checked out');
});
