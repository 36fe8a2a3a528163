import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type RunView, runView } from '../../view/run-view.ts';
import type { WhyContext } from '../../view/why.ts';
import { editPlan } from '../follow/replan.ts';
import type { Context } from '../frame/command.ts';
import type { Live } from './live.ts';

/**
 * Shows a run while it is followed: on a screen with keys for a person at a terminal, or else in a block of lines.
 * In a pipe and with `--json` it shows nothing.
 */
export interface Display extends Disposable {
  /** A person can act by keys, so the command need not end when only they can continue the run. */
  readonly takesKeys: boolean;
  /** Null until the run was shown for the first time, and without a screen. */
  live(): Live | null;
  show(view: RunView, around: WhyContext): Promise<void>;
  /** Shows one line while there is no run to show yet. */
  showLine(line: string): void;
  /** Removes the block, before anything is printed below it. */
  clear(): void;
  /** Closes the screen while something else needs the terminal. */
  offScreen(body: () => Promise<void>): Promise<void>;
}

export async function openDisplay(
  repo: RepositoryHandle,
  context: Context,
  options: {
    readonly isBrief: boolean;
    /** True when there is something to show that needs a screen. */
    readonly opensAt: (view: RunView) => boolean;
    readonly hosts: () => boolean;
  },
): Promise<Display> {
  const region = context.json ? null : await context.terminal.region();
  // an agent with its own terminal would wait forever
  const takesKeys = context.terminal.interactive && !context.json && !options.isBrief && repo.caller.agent === null;
  // a run in a pipe needs nothing of the screen
  const open = async () => (await import('./live.ts')).openLive(repo, context, options.hosts);
  let live: Live | null = null;
  let isOpened = false;
  return {
    takesKeys,
    live: () => live,
    show: async (view, around) => {
      if (takesKeys && !isOpened && options.opensAt(view)) {
        isOpened = true;
        region?.draw([]);
        live = await open();
      }
      if (live !== null) live.show(view, around);
      else region?.draw([...runView(view), ...lineOf(around)]);
    },
    showLine: (line) => region?.draw([line]),
    clear: () => region?.draw([]),
    offScreen: async (body) => {
      live?.[Symbol.dispose]();
      live = null;
      await body();
      live = await open();
    },
    [Symbol.dispose]: () => {
      live?.[Symbol.dispose]();
      region?.[Symbol.dispose]();
    },
  };
}

function lineOf({ ahead, copying = [] }: WhyContext): readonly string[] {
  const lines = [...(ahead === null ? [] : [`waiting to land after ${ahead}: tidegate why ${ahead}`]), ...copying];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Gives the terminal to the person's editor, and opens the screen again when they have read the result. */
export async function editOffScreen(
  repo: RepositoryHandle,
  context: Context,
  display: Display,
  view: RunView,
): Promise<void> {
  await display.offScreen(async () => {
    await editPlan(repo, context, { view, warnings: [] });
    await context.terminal.ask('Press Enter to return to the run.');
  });
}
