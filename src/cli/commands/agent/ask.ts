import { severities } from '../../../domain/board/board.ts';
import { misused } from '../../frame/command.ts';
import { command } from '../../frame/definition.ts';

export const askCommand = command({
  name: 'ask',
  group: 'agent',
  summary: 'ask a question or for paths; only inside the fence',
  options: {
    scope: { value: 'path...', about: 'paths that the task does not own' },
    message: { short: 'm', value: 'text', about: 'why they are needed, or the question itself' },
    to: { value: 'task', about: 'whom the question is for; a person, if nobody is named' },
    severity: {
      value: 'level',
      choices: severities,
      about: 'low, normal, high or critical; nothing lands until a critical question is answered',
    },
    wait: { value: 'seconds', about: 'wait so long for an answer' },
  },
  lenient: true,
  run: () =>
    misused(
      'not-in-a-fence',
      'ask: only an agent inside the fence of its task can ask; people grant (tidegate grant), answer (tidegate answer) and write to agents (tidegate post)',
    ),
});
