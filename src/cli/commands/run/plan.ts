import { templateNames } from '../../../planner/templates.ts';
import { command } from '../../frame/definition.ts';

export const planCommand = command({
  name: 'plan',
  group: 'run',
  summary: 'a plan file of a goal, or of what you typed; never overwrites',
  arguments: {
    goal: { about: 'what is to be reached; it is divided into waves of tasks by fixed rules', variadic: true },
  },
  options: {
    template: {
      value: 'name',
      about: `the kind of work: ${templateNames.join(', ')}; without it implementation`,
    },
    agent: { value: 'name', about: 'lets this agent draft the plan instead, in a run of one task' },
    fromGo: { value: 'run', about: 'the run that tidegate go began, or the beginning of its name' },
    output: {
      short: 'o',
      value: 'file',
      about: 'where to, - to print it; without it a goal goes to tidegate.plan.yaml, and --from-go is printed',
    },
    dryRun: { about: 'only shows what would be written, or with --agent what would be run' },
    yes: {
      about: 'with --agent: answer the start approval with yes where there is no terminal, and nothing else',
    },
    land: { about: 'with --agent: answer the landing with yes' },
  },
  help: `Examples:
  tidegate plan "Rate-limit POST /login to 5/min in src/login.ts, then document it in docs/api.md"
  tidegate plan "Cut version 2.1" --template release -o release.plan.yaml
  tidegate plan "Move the build to esbuild" --agent claude

The same goal always gives the same plan. An agent's draft is a change like any other: it is fenced to that one file, and lands when
you say so; as a plan it is read and approved when you run it.`,
  run: async (...call) => (await import('../../begin/plan.ts')).writePlan(...call),
});
