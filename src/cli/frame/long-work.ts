import type { Context } from './command.ts';

/** Says what takes long, so that nobody has to wonder whether anything still happens. */
export interface LongWork extends Disposable {
  /** What is done from now on; null: nothing that takes time. */
  doing(what: string | null): void;
}

const lookMs = 500;
const firstMs = 1_000;
const nextMs = 5_000;

/** On a terminal one line that is drawn over, with seconds; in a pipe a line of its own after a second, and then every five. */
export function longWork({ terminal, json }: Pick<Context, 'terminal' | 'json'>): LongWork {
  const region = json ? null : terminal.region();
  let current: { readonly what: string; readonly since: number; told: number | null } | null = null;
  const look = (): void => {
    if (current === null || json) return;
    const now = performance.now();
    const seconds = Math.floor((now - current.since) / 1000);
    const line = `${current.what}${seconds === 0 ? '' : ` (${seconds} s)`}`;
    if (terminal.interactive) {
      region?.draw([[{ text: '…    ', tone: 'waiting' }, line]]);
      return;
    }
    const isDue = current.told === null ? now - current.since >= firstMs : now - current.told >= nextMs;
    if (!isDue) return;
    current.told = now;
    terminal.line([{ text: '…    ', tone: 'waiting' }, line]);
  };
  const timer = setInterval(look, lookMs);
  return {
    doing: (what) => {
      if (what !== null && what === current?.what) return;
      current = what === null ? null : { what, since: performance.now(), told: null };
      if (current === null) region?.draw([]);
      else look();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      region?.draw([]);
      region?.[Symbol.dispose]();
    },
  };
}
