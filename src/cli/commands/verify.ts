import { command } from '../definition.ts';

export const verifyCommand = command({
  name: 'verify',
  group: 'keep',
  summary: 'prove that the ledger is whole, and replay every run',
  run: async (...call) => (await import('../replay.ts')).verifyLedger(...call),
});
