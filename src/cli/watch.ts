import type { RunId } from '../domain/ids.ts';
import { openUndo } from '../domain/open-undo.ts';
import type { RunState } from '../domain/run.ts';
import { type Context, exitCodes, type Outcome, type Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { followRun } from './follow.ts';
import { ticker } from './foreground.ts';
import { eventLine } from './render/event-line.ts';
import { runView } from './render/run-view.ts';
import { settledOutcome } from './settled.ts';
import { subjectOf } from './subject.ts';

/** `tidegate watch [run]`: the live view of a run until it ends, without taking part in it. */
export const watch =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('[run]', 'a run or the beginning of its name; without it the live one').action(
      does((given: string | undefined) =>
        atDesk(open, context, 'look', async (desk) => {
          const found = await subjectOf(desk, 'watch', given, 'newest');
          return found.ok ? await lookOn(desk, context, found.value.run) : found.error;
        }),
      ),
    );
  };

async function lookOn(desk: Desk, context: Context, run: RunId): Promise<Outcome> {
  const { terminal, json } = context;
  await using following = await followRun(desk, run, (stored) => {
    const line = eventLine(stored.event);
    if (json) terminal.json(stored);
    else if (line !== null && !terminal.interactive) terminal.line(line);
  });
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using region = json ? null : terminal.region();
  using ticks = ticker(1000);
  for (;;) {
    const view = following.view();
    if (view !== null && view.state.ended !== null && !isUndoAtWork(view.state)) {
      region?.draw([]);
      return settledOutcome(view, context);
    }
    region?.draw(view === null ? [`${run} is ordered; no coordinator has begun it yet`] : runView(view));
    const woken = await Promise.race([following.changed(), ticks.next(), left.promise]);
    if (woken === 'left') return { exit: exitCodes.interrupted, reason: 'interrupted', data: { run } };
  }
}

const isUndoAtWork = (state: RunState): boolean => state.mode.mode !== 'halted' && openUndo(state) !== null;
