import { command } from '../../frame/definition.ts';

export const answerCommand = command({
  name: 'answer',
  group: 'decide',
  summary: 'answer what an agent asks on the board',
  arguments: {
    record: {
      about: 'run/record, or a record of the live or the newest run',
      required: true,
      shown: 'run/record',
      completes: 'runs',
    },
  },
  options: {
    message: { short: 'm', value: 'text', about: 'the answer' },
    close: { about: 'close it without an answer' },
  },
  run: async (...call) => (await import('../../decide/answer.ts')).answerRecord(...call),
});
