import { expect, test } from 'vitest';
import { attemptId, commitId, runId, taskId, treeId } from '../domain/base/ids.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import { channelPattern, channelsOf } from './envelope.ts';

const [run, one, two] = [runId('demo-ab12'), taskId('one'), taskId('two')];
const commit = commitId('a'.repeat(40));
const tree = treeId('b'.repeat(40));
const attempt = attemptId(run, one, 1);
const by = { who: 'ann', via: 'command' } as const;

const cases: readonly (readonly [LedgerEvent, readonly string[]])[] = [
  [{ type: 'wave-closed', wave: 0 }, ['global', 'run/demo-ab12']],
  [{ type: 'task-dropped', task: one, by }, ['global', 'run/demo-ab12', 'task/demo-ab12/one']],
  [{ type: 'budget-near', task: null, used: 1, limit: 2 }, ['global', 'run/demo-ab12']],
  [
    { type: 'attempt-started', task: one, attempt, pid: 7 },
    ['global', 'run/demo-ab12', 'task/demo-ab12/one', 'agent/demo-ab12.one.1'],
  ],
  [
    {
      type: 'landed',
      branch: 'main',
      old: null,
      new: commit,
      tasks: [one, two],
      commits: [one, two].map((task) => ({ task, commit })),
    },
    ['global', 'run/demo-ab12', 'task/demo-ab12/one', 'task/demo-ab12/two'],
  ],
  [
    {
      type: 'candidate-built',
      wave: 0,
      round: 1,
      base: commit,
      steps: [{ task: one, commit, tree }],
      conflicts: [{ task: two, files: ['x'] }],
    },
    ['global', 'run/demo-ab12', 'task/demo-ab12/one', 'task/demo-ab12/two'],
  ],
  // conflicts of a landing are files
  [{ type: 'landing-rebuilt', onto: commit, commit, tree, conflicts: ['readme.md'] }, ['global', 'run/demo-ab12']],
];

test.each(cases)('%j goes out on the channels that it names', (event, channels) => {
  expect([...channelsOf(run, event)]).toEqual(channels);
  for (const channel of channels) expect(channel).toMatch(channelPattern);
});

test('what is about the repository is on no channel of a run', () => {
  expect([...channelsOf('repo', { type: 'coordinator-stopped', epoch: 1 })]).toEqual(['global']);
});

test('sessions that others drive have their subtasks and agents', () => {
  const updated = { type: 'external-subtask-updated', subtask: 's1', agentId: 'a7', by, version: 1 } as const;
  expect([...channelsOf('external:s', updated)]).toEqual([
    'global',
    'run/external:s',
    'task/external:s/s1',
    'agent/a7',
  ]);
});

test.each(['', 'globals', 'run/', 'run/a/b', 'task/a', 'task/a/b/c', 'agent/a b', 'x/y', 'run/a\n'])(
  '%j is no channel',
  (text) => expect(text).not.toMatch(channelPattern),
);
