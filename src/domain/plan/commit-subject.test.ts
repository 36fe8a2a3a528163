import { describe, expect, test } from 'vitest';
import { plan } from '../../../test/support/plans.ts';
import { commitSubject, generatedSubject, subjectFault } from './commit-subject.ts';
import { allTasks } from './plan.ts';

/** The subject of the only task of a plan with this brief. */
function subject(commit: string | undefined, text = 'Limit the login.\n'): string {
  const planned = plan([{ limit: { directive: { file: null, text, clauses: [] }, role: 'docs' } }], { name: 'shop' });
  const [task] = allTasks(planned);
  if (task === undefined) throw new Error('no task');
  return commitSubject(commit === undefined ? planned : { ...planned, commit }, 'shop-ab12', task);
}

describe('the subject of a commit', () => {
  test.each([
    [undefined, 'Limit the login.'],
    ['{title}', 'Limit the login.'],
    ['feat({task}): {title}', 'feat(limit): Limit the login.'],
    ['[{plan} {run} w{wave} {role}] {title}', '[shop shop-ab12 w1 docs] Limit the login.'],
    ['wip', 'wip'],
    ['  {title}\t{task} ', 'Limit the login. limit'],
  ])('of %j is %j', (commit, expected) => {
    expect(subject(commit)).toBe(expected);
  });

  test('is at most 72 characters: the title is cut first', () => {
    const made = subject('{title} ({run})', `${'a title '.repeat(20)}\n`);
    expect([...made].length).toBeLessThanOrEqual(72);
    expect(made).toMatch(/…? \(shop-ab12\)$/);
  });

  test('stays one line whatever a title holds, and is expanded once', () => {
    expect(subject('{title}', 'Say {run} \u0007 twice')).toBe('Say {run} twice');
  });

  test('has no character that moves or reorders text, whoever wrote it', () => {
    expect(subject('{task}\u202e: {title}\u001b', 'Add\u2066 it\u009b')).toBe(subject('{task}: {title}', 'Add it'));
    expect(subject('{title}', '\u202e\u2066')).toBe('limit');
  });

  test('of generated files follows the template too', () => {
    expect(generatedSubject({ name: 'shop', commit: 'chore({task}): {title}' }, 'shop-ab12', 0)).toBe(
      'chore(generated): Rebuild generated files',
    );
  });
});

test.each([
  ['{type}: {title}', { fault: 'unknown-placeholder', token: '{type}' }],
  ['{}', { fault: 'unknown-placeholder', token: '{}' }],
  ['a\nb', { fault: 'several-lines' }],
  ['  ', { fault: 'empty' }],
  ['{title}\u001b[2J', { fault: 'unprintable' }],
  ['\u202e{title}', { fault: 'unprintable' }],
  ['{task}\t{title}', { fault: 'unprintable' }],
  [`${'x'.repeat(49)}{title}`, { fault: 'too-long' }],
  ['{task}: {title}', null],
])('the template %j has the fault %j', (template, fault) => {
  expect(subjectFault(template)).toEqual(fault);
});
