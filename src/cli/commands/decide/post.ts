import { recordKinds } from '../../../domain/board/board.ts';
import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const postCommand = command({
  name: 'post',
  group: 'decide',
  summary: 'write to the agents of a run; they find it in their inbox',
  arguments: {
    subject: { ...aRunOrTask, about: 'run, for all its tasks, or run/task; without it the live run' },
  },
  options: {
    message: { short: 'm', value: 'text', required: true, about: 'what they are to know' },
    kind: { value: 'kind', default: 'note', choices: recordKinds, about: recordKinds.join(', ') },
    to: { value: 'task', choices: ['all', 'person'], about: 'a task, all or person; without it the subject' },
  },
  asks: ({ subject, message, kind, to }) => ({
    action: 'post',
    subject,
    input: { kind, text: message, ...(to === undefined ? {} : { target: to }) },
  }),
});
