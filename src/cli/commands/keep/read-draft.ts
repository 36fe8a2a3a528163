import { command } from '../../frame/definition.ts';

export const readDraftCommand = command({
  name: 'read-draft',
  group: 'keep',
  summary: 'what stands against a plan in a snapshot; called by coordinators',
  arguments: {
    commit: { about: '', required: true },
    file: { about: '', required: true },
    branch: { about: '', required: true },
  },
  hidden: true,
  run: async (...call) => (await import('../../begin/read-draft.ts')).judgeDraft(...call),
});
