import { recordById } from '../../../domain/board/board.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { recordLines } from '../../../view/board-lines.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { type Context, command, type Outcome, usageError } from '../../frame/command.ts';
import { recordNamed } from './record-named.ts';

export const answerCommand = command({
  name: 'answer',
  group: 'decide',
  summary: 'answer a question of an agent',
  arguments: {
    record: {
      about: 'run/record, repository/record, or a record of the live or newest run',
      required: true,
      shown: 'run/record',
      completes: 'runs',
    },
  },
  options: {
    message: { short: 'm', value: 'text', about: 'the answer (default: ask for it on the terminal)' },
    close: { about: 'close the question without an answer' },
  },
  changes: async ({ record, message, close }, repo, context) =>
    message !== undefined && close
      ? usageError('answer-or-close', 'answer: use either -m or --close')
      : await settle(repo, context, record, close ? null : message),
});

/** Null closes the record. Undefined asks for the answer on the terminal. */
async function settle(
  repo: RepositoryHandle,
  context: Context,
  typed: string,
  message: string | null | undefined,
): Promise<Outcome> {
  const named = await recordNamed(repo, 'answer', typed);
  if (!named.ok) return named.error;
  const { record, board, subject } = named.value;
  const { run } = subject;
  const refusal = refuseAgentAction(repo, 'answer', `answer ${run}/${record}`);
  if (refusal !== null) return refusal;
  const question = recordById(board, record);
  const text =
    message === undefined && question !== undefined ? await askPerson(context, recordLines(question)) : message;
  if (text === undefined)
    return usageError(
      'no-message',
      `answer: write the answer with -m, or close the question: tidegate answer --close ${run}/${record}`,
    );
  const input = { record, text };
  return 'repository' in subject
    ? await actOn(repo, { action: 'answer-above', subject, input })
    : await actOn(repo, { action: 'answer', subject, input });
}

async function askPerson(context: Context, question: ReturnType<typeof recordLines>): Promise<string | undefined> {
  if (!context.terminal.interactive || context.json) return undefined;
  for (const line of question) context.terminal.line(line);
  const typed = (await context.terminal.ask('Your answer:'))?.trim() ?? '';
  return typed === '' ? undefined : typed;
}
