import { aPlan } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const runCommand = command({
  name: 'run',
  group: 'run',
  summary: 'check a plan, ask, run it, and land what is proven',
  arguments: { plan: aPlan },
  options: {
    wave: { value: 'number', about: 'only this wave, which must be the next open one' },
    dryRun: { about: 'every check and what would be asked; leaves nothing behind' },
    withUncommitted: {
      about:
        'agents also see your uncommitted changes, which never land themselves; commit what they built on before it lands',
    },
    detach: { short: 'd', about: 'go on in the background' },
    yes: { about: 'answer the start approval with yes, and nothing else' },
    land: { about: 'answer the landing with yes' },
    focus: { value: 'text', about: 'what every agent of this run is told to mind; part of what is approved' },
    ci: {
      about:
        'for machines: asks nothing, writes a JUnit file, and on GitHub a summary; lands only with --land; `land: pr` opens the pull request',
    },
    junit: { value: 'file', about: 'with --ci: where the JUnit file goes; without it tidegate-junit.xml' },
  },
  run: async (...call) => (await import('../../begin/run.ts')).runPlan(...call),
});
