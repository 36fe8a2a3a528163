import { err, ok, type Result } from '../../domain/base/result.ts';
import { recordById } from '../../domain/board/board.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { recordLines } from '../../view/board-lines.ts';
import { actOn, refusedToAgent } from '../frame/act.ts';
import { type Context, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { type MadeRun, wholeRunNamed } from '../frame/subject.ts';
import { withRepository } from '../frame/with-repository.ts';

type AnswerInput = { readonly record: string; readonly message: string | undefined; readonly close: boolean };

/** `tidegate answer <run/record> -m <text>`: settles a question or a request on the board; with `--close` without a word. */
export async function answerRecord(
  { record, message, close }: AnswerInput,
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  if (message !== undefined && close) return misused('answer-or-close', 'answer: either -m or --close');
  return await withRepository(ports.openRepository, context, 'ask', (repo) =>
    settle(repo, context, record, close ? null : message),
  );
}

/** Without an answer the person is asked for it, where one can be. */
async function settle(
  repo: RepositoryHandle,
  context: Context,
  given: string,
  message: string | null | undefined,
): Promise<Outcome> {
  const found = await recordNamed(repo, given);
  if (!found.ok) return found.error;
  const { record, ...subject } = found.value;
  const { run, state } = subject;
  const refused = refusedToAgent(repo, 'answer', `answer ${run}/${record}`);
  if (refused !== null) return refused;
  const asked = recordById(state, record);
  const text = message === undefined && asked !== undefined ? await askPerson(context, recordLines(asked)) : message;
  if (text === undefined)
    return misused('no-message', `answer: say it, by -m, or close it: tidegate answer --close ${run}/${record}`);
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
  given: string,
): Promise<Result<MadeRun & { readonly record: string }, Outcome>> {
  const named = /^(?:([^/]+)\/)?([0-9]{1,9})$/.exec(given);
  if (named?.[2] === undefined)
    return err(misused('bad-record', `answer: ${JSON.stringify(given)} is no run/record; see tidegate inbox`));
  const found = await wholeRunNamed(repo, 'answer', named[1], 'newest');
  return found.ok ? ok({ ...found.value, record: named[2] }) : found;
}
