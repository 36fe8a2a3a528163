import type { LiveRegion, Terminal } from '../../ports/terminal.ts';
import type { Context } from './command.ts';

/** A terminal that asks nobody and draws nothing: only lines, as in a pipe. */
export function plainTerminal({ line, problem, json }: Pick<Terminal, 'line' | 'problem' | 'json'>): Terminal {
  const nothing = async (): Promise<null> => null;
  return {
    interactive: false,
    line,
    problem,
    json,
    paint: () => '',
    region: async (): Promise<LiveRegion> => ({
      draw: () => undefined,
      close: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
    screen: nothing,
    ask: nothing,
    askSecret: nothing,
  };
}

/** Shows the step that a slow command is at. */
export interface ProgressLine extends Disposable {
  /** Null: nothing that takes time. */
  step(text: string | null): void;
}

const redrawMs = 500;
const firstLineMs = 1_000;
const nextLineMs = 5_000;

/** Redraws one line with the seconds on a terminal. In a pipe, prints a line after a second and then every five. */
export async function showProgress({ terminal, json }: Pick<Context, 'terminal' | 'json'>): Promise<ProgressLine> {
  const region = json ? null : await terminal.region();
  let current: { readonly text: string; readonly since: number; printed: number | null } | null = null;
  const redraw = (): void => {
    if (current === null || json) return;
    const now = performance.now();
    const seconds = Math.floor((now - current.since) / 1000);
    const line = `${current.text}${seconds === 0 ? '' : ` (${seconds} s)`}`;
    if (terminal.interactive) {
      region?.draw([[{ text: '…    ', tone: 'waiting' }, line]]);
      return;
    }
    const isDue = current.printed === null ? now - current.since >= firstLineMs : now - current.printed >= nextLineMs;
    if (!isDue) return;
    current.printed = now;
    terminal.line([{ text: '…    ', tone: 'waiting' }, line]);
  };
  const timer = setInterval(redraw, redrawMs);
  return {
    step: (text) => {
      if (text !== null && text === current?.text) return;
      current = text === null ? null : { text, since: performance.now(), printed: null };
      if (current === null) region?.draw([]);
      else redraw();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      region?.draw([]);
      region?.[Symbol.dispose]();
    },
  };
}
