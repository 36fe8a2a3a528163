import { ok } from '../../../domain/base/result.ts';
import { aTask, command, usageError } from '../../frame/command.ts';

export const reworkCommand = command({
  name: 'rework',
  group: 'decide',
  summary: 'let an agent fix the work of a task',
  arguments: { task: aTask },
  options: {
    message: {
      short: 'm',
      value: 'text',
      repeatable: true,
      about: 'the problem to fix; repeat it for more paragraphs',
    },
    file: { short: 'f', value: 'file', about: 'read the message from a file, or from standard input (-)' },
  },
  asks: async ({ task, message, file }, context, { ports }) => {
    const comments = file === undefined ? ok('') : await ports.readComments(context, file);
    if (!comments.ok) return usageError('bad-file', `rework: ${comments.error}`);
    const parts = [...message, comments.value].map((part) => part.trim()).filter((part) => part !== '');
    if (parts.length === 0) return usageError('no-message', 'rework: say what to fix, with -m or -f');
    return { action: 'rework', subject: task, input: { message: parts.join('\n\n') } };
  },
});
