import { ok } from '../../../domain/base/result.ts';
import { aTask } from '../../frame/arguments.ts';
import { misused } from '../../frame/command.ts';
import { command } from '../../frame/definition.ts';

export const reworkCommand = command({
  name: 'rework',
  group: 'decide',
  summary: 'let an agent mend what is there',
  arguments: { task: aTask },
  options: {
    message: {
      short: 'm',
      value: 'text',
      repeatable: true,
      about: 'what the agent is to mend; each one more is a paragraph',
    },
    file: { short: 'f', value: 'file', about: 'the same from a file, or - for standard input' },
  },
  asks: async ({ task, message, file }, context, { ports }) => {
    const comments = file === undefined ? ok('') : await ports.readComments(context, file);
    if (!comments.ok) return misused('bad-file', `rework: ${comments.error}`);
    const parts = [...message, comments.value].map((part) => part.trim()).filter((part) => part !== '');
    if (parts.length === 0) return misused('no-message', 'rework: say what to mend, by -m or -f');
    return { action: 'rework', subject: task, input: { message: parts.join('\n\n') } };
  },
});
