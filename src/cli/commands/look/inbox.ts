import { command } from '../../frame/definition.ts';

export const inboxCommand = command({
  name: 'inbox',
  group: 'look',
  summary: 'everything that waits for you, in all runs',
  looks: async (...call) => (await import('../../look/board.ts')).showInbox(...call),
});
