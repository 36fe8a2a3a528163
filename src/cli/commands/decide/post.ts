import { recordKinds } from '../../../domain/board/board.ts';
import { aRunOrTask, command } from '../../frame/command.ts';

export const postCommand = command({
  name: 'post',
  group: 'decide',
  summary: 'write a message to the agents of a run',
  arguments: {
    subject: { ...aRunOrTask, about: 'run, for all its tasks, or run/task (default: the live run)' },
  },
  options: {
    message: { short: 'm', value: 'text', required: true, about: 'the message; agents find it in their inbox' },
    kind: { value: 'kind', default: 'note', choices: recordKinds, about: recordKinds.join(', ') },
    to: { value: 'task', choices: ['all', 'person'], about: 'a task, all or person (default: the subject)' },
  },
  asks: ({ subject, message, kind, to }) => ({
    action: 'post',
    subject,
    input: { kind, text: message, ...(to === undefined ? {} : { target: to }) },
  }),
});
