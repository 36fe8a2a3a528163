import type { LedgerEvent, RunEvent } from '../../src/domain/events.ts';
import type { ExternalCommand, NewSubtask } from '../../src/domain/external/command.ts';
import { decideExternal } from '../../src/domain/external/decide.ts';
import type { ExternalEvent } from '../../src/domain/external/events.ts';
import { newSession, withFacts } from '../../src/domain/external/session.ts';
import { attempt, idOf, me } from '../support/plans.ts';

/** Events that no run of the simulation has. One of a new type goes here, unless the simulation plays it. */
export const unsimulated: readonly LedgerEvent[] = [
  { type: 'thread-intended', wave: 0, key: 'tidegate:demo-ab12:wave-0:0123456789ab' },
  {
    type: 'provider-paused',
    provider: 'anthropic',
    until: '2026-01-01T01:00:00.000Z',
    trouble: { kind: 'rate-limited', until: null, words: 'too many requests' },
    tries: 1,
  },
  { type: 'attempt-told', task: idOf('a'), attempt: attempt('a', 1), terms: 1 },
  { type: 'provider-resumed', provider: 'anthropic' },
  { type: 'starts-suspended', because: { rule: 'memory-short', free: 1_000_000 } },
  { type: 'starts-allowed' },
  {
    type: 'task-base-refused',
    task: idOf('a'),
    because: { rule: 'needs-conflict', task: idOf('a'), need: idOf('b'), files: ['src/a.ts'] },
  },
  { type: 'task-released', task: idOf('a') },
  { type: 'undo-refused', task: null, because: { rule: 'branch-gone', branch: 'main' } },
  { type: 'record-closed', record: '1', by: me },
  { type: 'requested-send', task: idOf('a'), message: 'mind the gap', by: me },
  { type: 'coordinator-started', epoch: 1, pid: 1, tidegate: '0' },
  { type: 'coordinator-stopped', epoch: 1 },
] satisfies readonly (RunEvent | LedgerEvent)[];

const subtask = (id: string, more: Partial<NewSubtask> = {}): NewSubtask => ({
  id,
  taskId: `t-${id}`,
  agentType: 'backend',
  agentId: null,
  description: `do ${id}`,
  priority: 5,
  blockedBy: [],
  context: null,
  ...more,
});

/** One session that others drive, decided command by command. */
export function sessionEvents(): readonly ExternalEvent[] {
  const commands: readonly ExternalCommand[] = [
    { type: 'create-wave', wave: 0, name: 'first', description: null },
    { type: 'submit-batch', batch: 'b1', wave: 0, subtasks: [subtask('a'), subtask('b', { blockedBy: ['a'] })] },
    { type: 'start-wave', wave: 0 },
    { type: 'update-subtask', subtask: 'a', status: 'running', agentId: 'one' },
    {
      type: 'record-action',
      action: 'x1',
      subtask: 'a',
      tool: 'Edit',
      toolType: 'builtin',
      exitCode: 0,
      durationMs: 12,
      files: ['src/a.ts'],
    },
    { type: 'update-subtask', subtask: 'a', status: 'completed', result: { files: ['src/a.ts'], summary: 'made a' } },
    { type: 'update-subtask', subtask: 'b', status: 'completed', result: { files: ['src/a.ts'] } },
    { type: 'complete-batch', batch: 'b1', failUnfinished: false },
  ];
  let state = newSession('golden');
  return commands.flatMap((command, at) => {
    const decided = decideExternal(state, { command, key: `k${at}`, by: me });
    if (!decided.ok) throw new Error(`${command.type} is refused: ${decided.error.rule}`);
    state = withFacts(state, decided.value);
    return decided.value;
  });
}
