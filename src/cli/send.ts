import { safeLine } from '../domain/safe-text.ts';
import { shellWord } from '../domain/shell-word.ts';
import type { Desk } from '../ports/desk.ts';
import { askOnce } from './ask-coordinator.ts';
import { misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { peopleOnly } from './people-only.ts';
import { taskNamed } from './subject.ts';

/** `tidegate send <run/task> <message>`: a word to an agent at work, where it takes one. */
export const send =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .argument('<message>', 'what the agent is to know')
      .action(
        does((given: string, message: string) =>
          message.trim() === ''
            ? misused('no-message', 'send: the message is empty')
            : atDesk(open, context, 'ask', (desk) => handOver(desk, given, message)),
        ),
      );
  };

async function handOver(desk: Desk, given: string, message: string): Promise<Outcome> {
  const found = await taskNamed(desk, 'send', given);
  if (!found.ok) return found.error;
  const { run, task } = found.value;
  const refused = peopleOnly(desk, `tidegate send ${run}/${task} ${shellWord(message)}`);
  if (refused !== null) return refused;
  const request = { type: 'requested-send', task, message, by: desk.caller.by } as const;
  const said = `The agent of ${run}/${task} has it: ${safeLine(message)}. See: tidegate attach --tail ${run}/${task}`;
  return await askOnce(desk, found.value, request, said);
}
