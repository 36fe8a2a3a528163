import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type RunView, runView } from '../../view/run-view.ts';
import type { Around } from '../../view/why.ts';
import type { Context } from '../frame/command.ts';
import { type Live, openLive } from './live.ts';

/**
 * Where a run is shown while it is followed: on a screen with keys for a person at a terminal, else in a block of lines;
 * in a pipe and with `--json` nowhere.
 */
export interface Display extends Disposable {
  /** A person can act while they look on, so that there is no need to end when only they can bring the run on. */
  readonly takesKeys: boolean;
  /** Null until the run was shown for the first time, and where there is no screen. */
  live(): Live | null;
  show(view: RunView, around: Around): Promise<void>;
  /** One line while there is no run to show yet. */
  tell(line: string): void;
  /** Before something is asked or told below the block. */
  clear(): void;
  /** Gives the terminal back for as long as something else needs it. */
  aside(body: () => Promise<void>): Promise<void>;
}

export function openDisplay(
  repo: RepositoryHandle,
  context: Context,
  how: {
    readonly isBrief: boolean;
    /** When there is something to see that needs a screen. */
    readonly opensAt: (view: RunView) => boolean;
    readonly hosts: () => boolean;
  },
): Display {
  const region = context.json ? null : context.terminal.region();
  // an agent with a terminal of its own would wait for ever
  const takesKeys = context.terminal.interactive && !context.json && !how.isBrief && repo.caller.agent === null;
  let live: Live | null = null;
  let isOpened = false;
  return {
    takesKeys,
    live: () => live,
    show: async (view, around) => {
      if (takesKeys && !isOpened && how.opensAt(view)) {
        isOpened = true;
        region?.draw([]);
        live = await openLive(repo, context, how.hosts);
      }
      if (live !== null) live.show(view, around);
      else region?.draw([...runView(view), ...lineOf(around)]);
    },
    tell: (line) => region?.draw([line]),
    clear: () => region?.draw([]),
    aside: async (body) => {
      live?.[Symbol.dispose]();
      live = null;
      await body();
      live = await openLive(repo, context, how.hosts);
    },
    [Symbol.dispose]: () => {
      live?.[Symbol.dispose]();
      region?.[Symbol.dispose]();
    },
  };
}

function lineOf({ ahead, copying = [] }: Around): readonly string[] {
  const lines = [...(ahead === null ? [] : [`waits to land: ${ahead} goes first: tidegate why ${ahead}`]), ...copying];
  return lines.length === 0 ? [] : ['', ...lines];
}
