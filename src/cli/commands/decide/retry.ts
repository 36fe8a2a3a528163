import { agentKinds } from '../../../agents/agents.ts';
import { relaunchPhases } from '../../../domain/relaunch/phases.ts';
import { command, namesInLists, usageError } from '../../frame/command.ts';

export const retryCommand = command({
  name: 'retry',
  group: 'decide',
  summary: 'start a task again, or select what runs again',
  arguments: {
    subject: {
      about: 'run/task, or a task of the live run; with --only, --from or --clear a run (default: the live run)',
      shown: 'run[/task]',
      completes: 'runs',
    },
  },
  options: {
    agent: { value: 'name', choices: Object.keys(agentKinds), about: 'give the task to this agent' },
    only: {
      value: 'tasks',
      repeatable: true,
      about: 'start only these tasks and closure roles again (comma-separated); all others stay as they are',
    },
    from: {
      value: 'phase',
      choices: relaunchPhases,
      about: 'run the open wave again from here on; reports before it are kept, and unchanged results are reused',
    },
    clear: {
      value: 'tasks',
      repeatable: true,
      about: 'do not reuse the results of these tasks (comma-separated); they start again',
    },
  },
  asks: ({ subject, agent, only, from, clear }) => {
    const [named, cleared] = [namesInLists('retry --only', only), namesInLists('retry --clear', clear)];
    if (!named.ok) return named.error;
    if (!cleared.ok) return cleared.error;
    if (named.value !== undefined || from !== undefined || cleared.value !== undefined)
      return agent === undefined
        ? { action: 'relaunch', subject, input: { only: named.value, from, clear: cleared.value } }
        : usageError('bad-choice', 'retry: --agent is for one task: tidegate retry run/task --agent <name>');
    if (subject === undefined)
      return usageError('no-task', 'retry: name a task, or choose tasks: tidegate retry <run> --only <task,…>');
    return agent === undefined
      ? { action: 'retry', subject, input: {} }
      : { action: 'switch-agent', subject, input: { agent } };
  },
});
