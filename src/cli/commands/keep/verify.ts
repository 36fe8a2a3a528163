import { command } from '../../frame/definition.ts';

export const verifyCommand = command({
  name: 'verify',
  group: 'keep',
  summary: 'prove that the ledger is whole, and replay every run',
  looks: async (input, repo) => (await import('../../look/replay.ts')).verifyRuns(input, repo),
});
