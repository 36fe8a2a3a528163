import { command } from '../../frame/definition.ts';

export const initCommand = command({
  name: 'init',
  group: 'begin',
  summary: 'detect setup and checks, write tidegate.yaml, try it all out',
  options: {
    dryRun: { about: 'show what would be written; write and try nothing' },
    rehearse: { negated: true, about: 'do not try setup, checks and agents inside the fence' },
    merge: { about: 'add what files that exist lack, at their end' },
    force: { about: 'replace files that exist; the old ones are kept as <name>.old' },
    sample: { about: 'also write tidegate.plan.yaml, a plan that runs as it stands' },
  },
  run: async (...call) => (await import('../../begin/init.ts')).setUpProject(...call),
});
