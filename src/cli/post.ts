import { isOfAgent, type RecordKind, recordKinds } from '../domain/board.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { safeLine } from '../domain/safe-text.ts';
import { shellWord } from '../domain/shell-word.ts';
import type { Desk } from '../ports/desk.ts';
import { recordLines } from '../view/board-lines.ts';
import { askOnce } from './ask-coordinator.ts';
import { type Context, misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { peopleOnly } from './people-only.ts';
import { type MadeRun, runNamed, wholeRunNamed } from './subject.ts';

/** `tidegate post <run[/task]> -m <text>`: a word of a person to the agents of a run, which they find in their inbox. */
export const post =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[subject]', 'run, for all its tasks, or run/task; without it the live run')
      .option('-m, --message <text>', 'what they are to know')
      .option('--kind <kind>', recordKinds.join(', '), 'note')
      .action(
        does((given: string | undefined, { message, kind }: { message?: string; kind: string }) => {
          if (message === undefined) return misused('no-message', 'post: say it, by -m');
          if (!isKind(kind)) return misused('bad-kind', `post: the kind is one of ${recordKinds.join(', ')}`);
          return atDesk(open, context, 'ask', (desk) => putUp(desk, given, kind, message));
        }),
      );
  };

/** `tidegate answer <run/record> -m <text>`: settles a question or a request on the board; with `--close` without a word. */
export const answer =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<record>', 'run/record, or a record of the live run')
      .option('-m, --message <text>', 'the answer')
      .option('--close', 'close it without an answer')
      .action(
        does((given: string, { message, close }: { message?: string; close?: boolean }) =>
          message !== undefined && close === true
            ? misused('answer-or-close', 'answer: either -m or --close')
            : atDesk(open, context, 'ask', (desk) => settle(desk, context, given, close === true ? null : message)),
        ),
      );
  };

const isKind = (kind: string): kind is RecordKind => recordKinds.some((known) => known === kind);

async function putUp(desk: Desk, given: string | undefined, kind: RecordKind, text: string): Promise<Outcome> {
  const found = await runNamed(desk, 'post', given);
  if (!found.ok) return found.error;
  const { run, task } = found.value;
  const subject = task === null ? run : `${run}/${task}`;
  const refused = peopleOnly(desk, `tidegate post ${subject} -m ${shellWord(text)}`);
  if (refused !== null) return refused;
  const request = { type: 'requested-post', kind, target: task ?? 'all', text, by: desk.caller.by } as const;
  const said = `On the board for ${task ?? `all tasks of ${run}`}: ${safeLine(text)}. See: tidegate board ${run}`;
  return await askOnce(desk, found.value, request, said);
}

/** Undefined: the person is asked for it, where one can be. */
async function settle(desk: Desk, context: Context, given: string, said: string | null | undefined): Promise<Outcome> {
  const found = await recordNamed(desk, given);
  if (!found.ok) return found.error;
  const { run, state, record } = found.value;
  const refused = peopleOnly(desk, `tidegate answer ${run}/${record}`);
  if (refused !== null) return refused;
  const asked = state.board.find(({ id }) => id === record);
  const text = said === undefined && asked !== undefined ? await askPerson(context, recordLines(asked)) : said;
  if (text === undefined)
    return misused('no-message', `answer: say it, by -m, or close it: tidegate answer --close ${run}/${record}`);
  const request = { type: 'requested-answer', record, text, by: desk.caller.by } as const;
  const who = asked !== undefined && isOfAgent(asked.from) ? `${run}/${asked.from.task}` : run;
  const told = text === null ? `Closed ${run}/${record}.` : `Answered ${run}/${record}; ${who} finds it in its inbox.`;
  return await askOnce(desk, found.value, request, told);
}

async function askPerson(context: Context, question: ReturnType<typeof recordLines>): Promise<string | undefined> {
  if (!context.terminal.interactive || context.json) return undefined;
  for (const line of question) context.terminal.line(line);
  const typed = (await context.terminal.ask('Your answer:'))?.trim() ?? '';
  return typed === '' ? undefined : typed;
}

async function recordNamed(desk: Desk, given: string): Promise<Result<MadeRun & { readonly record: string }, Outcome>> {
  const named = /^(?:([^/]+)\/)?([0-9]{1,9})$/.exec(given);
  if (named?.[2] === undefined)
    return err(misused('bad-record', `answer: ${JSON.stringify(given)} is no run/record; see tidegate inbox`));
  const found = await wholeRunNamed(desk, 'answer', named[1]);
  return found.ok ? ok({ ...found.value, record: named[2] }) : found;
}
