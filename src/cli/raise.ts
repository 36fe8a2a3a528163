import { runSpend, taskSpend } from '../domain/budget.ts';
import type { Desk } from '../ports/desk.ts';
import { money } from '../view/agent-lines.ts';
import { askOnce } from './ask-coordinator.ts';
import { misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { peopleOnly } from './people-only.ts';
import { runNamed } from './subject.ts';

/** `tidegate raise [run[/task]] --usd <n>`: more money; what was paused for the lack of it goes on. */
export const raise =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[subject]', 'run or run/task; without it the live run')
      .requiredOption('--usd <amount>', 'dollars to add to the limit')
      .action(
        does((given: string | undefined, options: { usd: string }) => {
          const usd = /^\d{1,6}(\.\d{1,4})?$/.test(options.usd) ? Number(options.usd) : 0;
          if (usd <= 0)
            return misused('bad-amount', `raise: --usd wants an amount such as 5 or 2.50, not ${options.usd}`);
          return atDesk(open, context, 'ask', (desk) => raiseLimit(desk, given, usd));
        }),
      );
  };

export async function raiseLimit(desk: Desk, given: string | undefined, usd: number): Promise<Outcome> {
  const found = await runNamed(desk, 'raise', given);
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const subject = task === null ? run : `${run}/${task}`;
  const refused = peopleOnly(desk, `tidegate raise ${subject} --usd ${usd}`);
  if (refused !== null) return refused;
  const one = task === null ? undefined : state.tasks[task];
  const { used, limit } = one === undefined ? runSpend(state) : taskSpend(state, one);
  const request = { type: 'requested-raise', task, usd, by: desk.caller.by } as const;
  const said = `${subject} may use ${money(limit + usd)}, ${money(used)} of it used.`;
  return await askOnce(desk, found.value, request, said);
}
