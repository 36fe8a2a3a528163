import { misused } from '../../frame/command.ts';
import { command } from '../../frame/definition.ts';

export const handoffCommand = command({
  name: 'handoff',
  group: 'agent',
  summary: 'end a task with a statement; only inside its fence',
  arguments: {
    status: {
      about: 'done, partial or failed',
      required: true,
      shown: 'done|partial|failed',
      choices: ['done', 'partial', 'failed'],
    },
  },
  options: {
    message: { short: 'm', value: 'text', required: true, about: 'what was done' },
    remaining: { value: 'text', repeatable: true, about: 'what is left' },
    file: { value: 'path', repeatable: true, about: 'a file that was changed' },
    proof: { value: 'text', repeatable: true, about: 'what shows that it works' },
    question: { value: 'text', repeatable: true, about: 'what a person should decide; shown by tidegate show' },
  },
  help: 'As one JSON document on standard input instead: tidegate handoff --json -',
  lenient: true,
  run: () =>
    misused(
      'not-in-a-fence',
      'handoff: only an agent inside the fence of its task can hand off; nothing was recorded here',
    ),
});
