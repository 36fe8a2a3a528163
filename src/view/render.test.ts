import { expect, test } from 'vitest';
import { frozenPlan } from '../../test/support/plans.ts';
import { approved, begun, by, ended, held, hello, plan, reply, run, started } from '../../test/support/run-events.ts';
import { partlyUndone } from '../../test/support/standings.ts';
import { viewed } from '../../test/support/viewed.ts';
import { attemptId, commitId, treeId } from '../domain/base/ids.ts';
import { duration } from '../domain/explain/text.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { Text } from '../ports/terminal.ts';
import { eventDescriber, eventLine } from './event-line.ts';
import { planView } from './plan-view.ts';
import { runView } from './run-view.ts';
import { whyRun, whyTask } from './why.ts';

const plain = (lines: readonly Text[]): string[] =>
  lines.map((line) =>
    typeof line === 'string' ? line : line.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
  );
const shown = (lines: readonly Text[]): string => {
  const text = plain(lines);
  for (const line of text) expect(line.length).toBeLessThanOrEqual(80);
  return `\n${text.join('\n')}\n`;
};

test('a run that waits for approval shows who is waited for, since when, and what to type', () => {
  expect(shown(runView(viewed(...begun())))).toMatchInlineSnapshot(`
    "
    checkout-k3f9 onto main, fence: bubblewrap, 1m 11s
    ✓ Check  ● Approve  · Work  · Verify  · Land

    wave 1
      · hello  waiting            for approval
      · reply  waiting            for hello

    waiting for you (1m 05s): 2 tasks are waiting for approval
      nothing has started; to reject the plan: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    "
  `);
});

test('a run at work unfolds the word it is at', () => {
  expect(shown(runView(viewed(...begun(), ...approved, ...started)))).toMatchInlineSnapshot(`
    "
    checkout-k3f9 onto main, fence: bubblewrap, 1m 18s
    ✓ Check  ✓ Approve  ● Work (● dispatch · monitor)  · Verify  · Land

    wave 1
      ● hello  running    1m 06s
      · reply  waiting            for hello
    "
  `);
});

test('a task that was undone out of the branch says so', () => {
  const lines = plain(runView(partlyUndone()));
  expect(lines.filter((line) => line.includes('undone'))).toEqual([
    expect.stringMatching(/^ {2}✓ hello .*, undone$/),
    expect.stringContaining('; hello was undone later'),
  ]);
});

test('a held task says why and offers the command', () => {
  expect(shown(runView(viewed(...begun(), ...approved, ...started, ended, ...held)))).toMatchInlineSnapshot(`
    "
    checkout-k3f9 onto main, fence: bubblewrap, 1m 21s
    ✓ Check  ✓ Approve  ✗ Work (● dispatch ✗ monitor)  · Verify  · Land

    wave 1
      ! hello  held       1m 06s  added x.md: the task does not own it
      ! reply  blocked            needs hello, which is held

    waiting for you (1m 06s): hello: added x.md: the task does not own it
      its work is kept; after a grant or drop it is judged again at no cost
      tidegate grant checkout-k3f9/hello x.md
    "
  `);
});

test('a check is told apart by whose definition it ran with, and a hold says why', () => {
  const tree = (name: string) => treeId(name.repeat(40));
  const check = (name: string, outcome: 'passed' | 'failed') => ({
    type: 'check-ended' as const,
    purpose: 'candidate' as const,
    check: {
      name: 'test',
      tree: tree(name),
      outcome,
      code: 0,
      log: { file: 'log', bytes: 0, kept: 0, sha256: '' },
      tail: '',
    },
  });
  const changes = [{ path: 'ci.sh', tasks: [hello] }];
  const built: RunEvent = {
    ...{ type: 'candidate-built', wave: 0, round: 1, base: commitId('a'.repeat(40)), steps: [], conflicts: [] },
    before: { commit: commitId('c'.repeat(40)), tree: tree('b'), changes },
  };
  const hold = { because: 'check', check: 'test', tree: tree('b'), defined: { passedOn: tree('a'), changes } } as const;
  const events: RunEvent[] = [
    built,
    check('a', 'passed'),
    check('b', 'failed'),
    { type: 'task-held', task: hello, hold },
  ];
  expect(events.map(eventDescriber())).toEqual([
    'wave 1: 0 tasks integrated',
    'check test on the candidate: passed',
    'check test on the candidate, with the earlier definition: failed',
    'hello: held: passes the check test only with its own change to ci.sh',
  ]);
});

test('a machine that slept is told where the end of the attempt is, and not when it only was busy', () => {
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const slept: RunEvent = { ...ended, sleptSeconds: 7_530 };
  expect(eventLine(slept)).toBe(
    'hello: exit 0, handoff done, 1 file; the machine slept for 2h 05m, which does not count',
  );
  expect(eventLine({ ...ended, sleptSeconds: 59 })).toBe(eventLine(ended));
  const told = (event: RunEvent) => plain(runView(viewed(...begun(), ...approved, ...started, event, ...held)));
  expect(told(slept)).toContain('hello: the machine slept for 2h 05m, which does not count');
  expect(told(ended).join()).not.toContain('slept');
});

test('a refused login of an agent whose task another one gets is told with a command, too', () => {
  const trouble = { kind: 'needs-login', until: null, words: '401' } as const;
  const noted: RunEvent = {
    type: 'attempt-noted',
    task: hello,
    attempt: attemptId(run, hello, 1),
    number: 1,
    note: { note: 'trouble', trouble },
  };
  expect(eventLine(noted)).toBe('hello: needs-login, 401; tidegate auth --check');
});

test.each([
  ['anthropic', 'tidegate auth claude'],
  ['openai', 'tidegate auth codex'],
  ['opencode', 'tidegate auth opencode'],
  ['google', 'tidegate auth gemini'],
])('a login that %s refused is told in its words, and with our command', (provider, login) => {
  const trouble = { kind: 'needs-login', until: null, words: '401 invalid x-api-key' } as const;
  const refused: RunEvent = { type: 'provider-paused', provider, until: null, trouble, tries: 1 };
  expect(eventLine(refused)).toBe(
    `${provider} is paused until a person resumes it: needs-login, 401 invalid x-api-key; ${login}, then run: tidegate resume`,
  );
  const view = viewed(...begun(), ...approved, ...started, refused);
  expect(plain(runView(view)).slice(-4).join('\n')).toMatch(
    new RegExp(
      `: not logged in to ${provider}: 401 invalid x-api-key\n.*\n {2}first: ${login}\n {2}then: {2}tidegate resume checkout-k3f9$`,
    ),
  );
});

test('a run that ended without a dropped task says so', () => {
  const dropped: RunEvent[] = [
    { type: 'task-dropped', task: hello, by },
    { type: 'task-dropped', task: reply, by },
    { type: 'wave-closed', wave: 0 },
    { type: 'run-ended', outcome: 'done' },
  ];
  expect(shown(runView(viewed(...begun(), ...approved, ...dropped)))).toMatchInlineSnapshot(`
    "
    checkout-k3f9 onto main, fence: bubblewrap, 13s
    ✓ Check  ✓ Approve  ✓ Work  ✓ Verify  ✓ Land

    wave 1, closed
      - hello  dropped            by ada
      - reply  dropped            by ada

    Done without 2 dropped tasks; nothing has landed
    "
  `);
});

test('what is to be approved names hash, scopes, fence and warnings', () => {
  const warning: Finding = { rule: 'directive-inline', file: null, task: 'reply', where: 'reply' };
  expect(shown(planView(viewed(...begun()).state, [warning]))).toMatchInlineSnapshot(`
    "
    plan onto main, plan 4f5517b720bb

    wave 1
       1  hello  owns HELLO.md
          Write hello/a.txt with the number 1.
       2  reply  owns REPLY.md docs/**  after hello
          Write reply/a.txt with the number 1.

    fence   bubblewrap, network off
    check   none: the result is not tested before it lands
    land    asks before the branch moves
    note    reply: the brief of \`reply\` is inline; \`strict\` needs a directive file
    "
  `);
});

test('a waived fence is shown wherever a person looks', () => {
  const unfenced = frozenPlan(
    plan.waves.map(({ tasks }) => tasks),
    { fence: { ...plan.fence, mode: 'none' } },
  );
  const view = viewed(...begun(unfenced));
  expect(shown(runView(view))).toContain('fence: NONE');
  expect(shown(planView(view.state))).toContain('fence   NONE');
});

test('why is one sentence with the age of the fact and the next command', () => {
  const waiting = viewed(...begun());
  const alone = { ahead: null, attended: true };
  expect(whyRun(waiting, alone)).toEqual({
    sentence: 'checkout-k3f9 has been waiting for you for 1m 05s: 2 tasks are waiting for approval.',
    safe: 'nothing has started; to reject the plan: tidegate reject checkout-k3f9',
    command: 'tidegate approve checkout-k3f9',
  });
  const working = viewed(...begun(), ...approved, ...started);
  expect(whyRun(working, { ahead: 'older-abcd', attended: true }).sentence).toContain(
    'is waiting to land on main after older-abcd',
  );
  expect(whyTask(working, reply, alone)).toEqual({
    sentence: 'checkout-k3f9/reply is waiting for hello (running for 1m 06s).',
    safe: '',
    command: 'tidegate why checkout-k3f9/hello',
  });
});

test('bookkeeping makes no line, milestones make one', () => {
  const lines = [...begun(), ...approved, ...started, ended, ...held].map(eventLine).filter((line) => line !== null);
  expect(lines).toMatchInlineSnapshot(`
    [
      "checkout-k3f9: plan 4f5517b720bb from tidegate.plan.yaml, onto main; the plan has no checks",
      "check: wave 1 is ready for approval",
      "approve: waiting for a person",
      "approve: approved by ada (command)",
      "hello: started",
      "hello: exit 0, handoff done, 1 file",
      "hello: did not pass: added x.md: the task does not own it",
    ]
  `);
});

test.each([
  [0, '0s'],
  [59_999, '59s'],
  [67_000, '1m 07s'],
  [7_500_000, '2h 05m'],
  [360_000_000, '4d 4h'],
  [-5, '0s'],
])('%i ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
