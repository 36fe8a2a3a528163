import { err, ok, type Result } from '../../../domain/base/result.ts';
import { recordById } from '../../../domain/board/board.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { recordLines } from '../../../view/board-lines.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { type Context, command, type Outcome, usageError } from '../../frame/command.ts';
import { type RunSubject, resolveWholeRun } from '../../frame/subject.ts';

export const answerCommand = command({
  name: 'answer',
  group: 'decide',
  summary: 'answer a question of an agent',
  arguments: {
    record: {
      about: 'run/record, or a record of the live or newest run',
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
  const named = await recordNamed(repo, typed);
  if (!named.ok) return named.error;
  const { record, ...subject } = named.value;
  const { run, state } = subject;
  const refusal = refuseAgentAction(repo, 'answer', `answer ${run}/${record}`);
  if (refusal !== null) return refusal;
  const question = recordById(state, record);
  const text =
    message === undefined && question !== undefined ? await askPerson(context, recordLines(question)) : message;
  if (text === undefined)
    return usageError(
      'no-message',
      `answer: write the answer with -m, or close the question: tidegate answer --close ${run}/${record}`,
    );
  return await actOn(repo, { action: 'answer', subject, input: { record, text } });
}

async function askPerson(context: Context, question: ReturnType<typeof recordLines>): Promise<string | undefined> {
  if (!context.terminal.interactive || context.json) return undefined;
  for (const line of question) context.terminal.line(line);
  const typed = (await context.terminal.ask('Your answer:'))?.trim() ?? '';
  return typed === '' ? undefined : typed;
}

async function recordNamed(
  repo: RepositoryHandle,
  typed: string,
): Promise<Result<RunSubject & { readonly record: string }, Outcome>> {
  const named = /^(?:([^/]+)\/)?([0-9]{1,9})$/.exec(typed);
  if (named?.[2] === undefined)
    return err(usageError('bad-record', `answer: ${JSON.stringify(typed)} is not a run/record; see tidegate inbox`));
  const subject = await resolveWholeRun(repo, 'answer', named[1], 'newest');
  return subject.ok ? ok({ ...subject.value, record: named[2] }) : subject;
}
