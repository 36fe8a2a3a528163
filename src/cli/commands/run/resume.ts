import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const resumeCommand = command({
  name: 'resume',
  group: 'run',
  summary: 'go on after a pause, a stop or a crash, with the same plan',
  arguments: { run: aRun },
  options: {
    replan: { about: 'take the plan as it is written now: what is merged stays, the rest is approved again' },
    detach: { short: 'd', about: 'go on in the background' },
    yes: { about: 'answer the start approval with yes, and nothing else' },
    land: { about: 'answer the landing with yes' },
  },
  run: async (...call) => (await import('../../decide/resume.ts')).resumeAndFollow(...call),
});
