import { actRules, recordActs } from '../../../domain/board/acts.ts';
import { recordById } from '../../../domain/board/board.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { recordLines } from '../../../view/board-lines.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { type Context, command, type Outcome, usageError } from '../../frame/command.ts';
import { recordNamed } from './record-named.ts';

export const recordCommand = command({
  name: 'record',
  group: 'decide',
  summary: 'act on a record of the board',
  arguments: {
    record: {
      about: 'run/record, repository/record, or a record of the live or newest run',
      required: true,
      shown: 'run/record',
      completes: 'runs',
    },
    act: { about: recordActs.join(', '), required: true, choices: recordActs },
  },
  options: {
    message: { short: 'm', value: 'text', about: 'the answer or the reason (default: ask for it on the terminal)' },
    to: { value: 'task', choices: ['person'], about: 'for reassign: a task, or person' },
  },
  help: 'dismiss closes the record without doing what it asks for. defer, advisory and stale leave it open, but it blocks nothing any more.',
  changes: (input, repo, context) => act(repo, context, input),
});

type Input = {
  readonly record: string;
  readonly act: string;
  readonly message?: string | undefined;
  readonly to?: string | undefined;
};

async function act(repo: RepositoryHandle, context: Context, input: Input): Promise<Outcome> {
  const named = await recordNamed(repo, 'record', input.record);
  if (!named.ok) return named.error;
  const { record, board, subject } = named.value;
  const name = `record ${subject.run}/${record} ${input.act}`;
  const refusal = refuseAgentAction(repo, 'record', name);
  if (refusal !== null) return refusal;
  const known = recordActs.find((one) => one === input.act);
  if (known === undefined) return usageError('bad-act', `record: the act must be one of ${recordActs.join(', ')}`);
  const text = input.message ?? (actRules[known].words ? await askWords(context, board, record) : undefined);
  if (actRules[known].words && (text === undefined || text.trim() === ''))
    return usageError('no-message', `record: say why, with -m: tidegate ${name} -m "your reason"`);
  const words = text === undefined ? {} : { text };
  const to = input.to === undefined ? {} : { to: input.to };
  const details = { record, act: known, ...words, ...to };
  return 'repository' in subject
    ? await actOn(repo, { action: 'record-above', subject, input: details })
    : await actOn(repo, { action: 'record', subject, input: details });
}

/** Shows the record, then asks. */
async function askWords(
  context: Context,
  state: Parameters<typeof recordById>[0],
  id: string,
): Promise<string | undefined> {
  const record = recordById(state, id);
  if (!context.terminal.interactive || context.json || record === undefined) return undefined;
  for (const line of recordLines(record)) context.terminal.line(line);
  return (await context.terminal.ask('Your words:')) ?? undefined;
}
