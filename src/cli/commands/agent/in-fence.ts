import { severities } from '../../../domain/board/kinds.ts';
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

export const verdictCommand = command({
  name: 'verdict',
  group: 'agent',
  summary: 'end a closure role with its report; only inside its fence',
  arguments: { word: { about: 'a word of the role, e.g. clear, ready, pass, blocked', required: true } },
  options: {
    message: { short: 'm', value: 'text', about: 'a summary' },
    finding: { value: 'text', repeatable: true, about: 'a finding' },
    dimension: { value: 'name=word', repeatable: true, about: 'qa: a dimension and its word, e.g. live=concerns' },
    environment: { value: 'name=word', repeatable: true, about: 'deploy: an environment and its word' },
    approval: { value: 'text', repeatable: true, about: 'security: an approval that is needed' },
    target: { value: 'id', repeatable: true, about: 'eval: a target' },
    benchmark: { value: 'id', repeatable: true, about: 'eval: a benchmark that was run' },
    regressions: { value: 'number', about: 'eval: number of regressions' },
    item: { value: 'name', repeatable: true, about: 'docs: an item that is closed' },
  },
  help: 'To pass all of it as one JSON document on standard input: tidegate verdict --json -',
  lenient: true,
  run: () =>
    usageError(
      'not-in-a-fence',
      'verdict: only an agent inside the fence of its closure role can report; people use tidegate resolve',
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
