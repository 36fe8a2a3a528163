import { expect, test } from 'vitest';
import { type DcmSession, type DcmSubtask, newDcmSession } from './session.ts';
import { resultsBefore } from './synthesis.ts';

const subtask = (
  id: string,
  wave: number,
  progress: DcmSubtask['progress'],
  result: DcmSubtask['result'],
): DcmSubtask => ({
  id,
  taskId: id,
  agentType: 'Explore',
  agentId: null,
  description: `do ${id}`,
  priority: 5,
  blockedBy: [],
  context: null,
  batch: 'b',
  wave,
  result,
  createdAt: '',
  actions: 0,
  files: [],
  progress,
});
const over = { startedAt: '', completedAt: '' };
const session: DcmSession = {
  ...newDcmSession('s'),
  subtasks: [
    subtask('late', 1, { status: 'completed', ...over }, { summary: 'fine' }),
    subtask('open', 0, { status: 'running', startedAt: '' }, null),
    subtask('bad', 0, { status: 'failed', ...over }, { code: 1 }),
    subtask('bare', 0, { status: 'completed', ...over }, null),
  ],
};

test('what came before is what is settled, wave by wave', () => {
  const bad = { agentType: 'Explore', status: 'failed', summary: 'do bad', result: '{"code":1}' };
  const bare = { agentType: 'Explore', status: 'completed', summary: 'do bare', result: null };
  const late = { agentType: 'Explore', status: 'completed', summary: 'do late', result: 'fine' };
  expect(resultsBefore(session, null)).toEqual([bad, bare, late]);
  expect(resultsBefore(session, 1)).toEqual([bad, bare]);
  expect(resultsBefore(session, 0)).toEqual([]);
});
