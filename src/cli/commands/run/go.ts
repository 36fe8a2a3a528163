import { agentKinds, takesCommand } from '../../../agents/agents.ts';
import { command } from '../../frame/definition.ts';

export const goCommand = command({
  name: 'go',
  group: 'run',
  summary: 'run what you type, without a plan file',
  arguments: {
    task: {
      about: 'what to do, a text for each task; those before the first --then run side by side',
      required: true,
      variadic: true,
    },
  },
  options: {
    next: {
      flag: 'then',
      value: 'task...',
      repeatable: true,
      inline: true,
      about: 'the next wave: tasks that begin when all before are merged',
    },
    owns: {
      value: 'pattern',
      repeatable: true,
      inline: true,
      about: 'what the task before it may change, and nothing else; without it whatever no other task owns',
    },
    agent: {
      value: 'name',
      choices: Object.keys(agentKinds).filter((name) => !takesCommand(name)),
      about: 'who does it; without it the first of claude, codex, opencode that is logged in',
    },
    model: { value: 'name', about: 'the model of every task, as the agent calls it' },
    dryRun: { about: 'every check and what would be run; leaves nothing behind' },
    withUncommitted: {
      about:
        'agents also see your uncommitted changes, which never land themselves; commit what they built on before it lands',
    },
    detach: { short: 'd', about: 'go on in the background' },
    yes: { about: 'answer the start approval with yes where there is no terminal, and nothing else' },
    land: { about: 'answer the landing with yes' },
    focus: { value: 'text', about: 'what every agent of this run is told to mind' },
  },
  help: `Examples:
  tidegate go "Rate-limit POST /login to 5 per minute" "Fix the typo in docs/api.md"
  tidegate go "Add a --json flag to list" --then "Document it in README.md" --agent codex
  tidegate go "Split the parser" --owns 'src/parse/**' --owns 'test/parse/**' "Fix the typo" --owns README.md --model opus

The plan is kept with the run: tidegate plan --from-go <run> -o tidegate.plan.yaml`,
  run: async (...call) => (await import('../../begin/go.ts')).runTyped(...call),
});
