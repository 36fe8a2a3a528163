import { severities } from '../../../domain/board/board.ts';
import { command, usageError } from '../../frame/command.ts';

/** Outside a fence these commands only explain themselves. Inside, `main/fence-client.ts` carries them out. */

export const handoffCommand = command({
  name: 'handoff',
  group: 'agent',
  summary: 'end a task with a handoff; only inside its fence',
  arguments: {
    status: {
      about: 'done, partial or failed',
      required: true,
      shown: 'done|partial|failed',
      choices: ['done', 'partial', 'failed'],
    },
  },
  options: {
    message: { short: 'm', value: 'text', required: true, about: 'a summary of the work' },
    remaining: { value: 'text', repeatable: true, about: 'work that is left' },
    file: { value: 'path', repeatable: true, about: 'a file that was changed' },
    proof: { value: 'text', repeatable: true, about: 'evidence that it works' },
    question: { value: 'text', repeatable: true, about: 'a question for a person; tidegate show prints it' },
  },
  help: 'To pass all of it as one JSON document on standard input: tidegate handoff --json -',
  lenient: true,
  run: () =>
    usageError(
      'not-in-a-fence',
      'handoff: only an agent inside the fence of its task can hand off; nothing was recorded',
    ),
});

export const askCommand = command({
  name: 'ask',
  group: 'agent',
  summary: 'ask a question, or ask for paths; only inside the fence',
  options: {
    scope: { value: 'path...', about: 'paths that the task does not own' },
    message: { short: 'm', value: 'text', about: 'why they are needed, or the question' },
    to: { value: 'task', about: 'the task to ask (default: a person)' },
    severity: {
      value: 'level',
      choices: severities,
      about: 'low, normal, high or critical; nothing lands until a critical question is answered',
    },
    wait: { value: 'seconds', about: 'wait this long for an answer' },
  },
  lenient: true,
  run: () =>
    usageError(
      'not-in-a-fence',
      'ask: only an agent inside the fence of its task can ask; people use tidegate grant, tidegate answer and tidegate post',
    ),
});
