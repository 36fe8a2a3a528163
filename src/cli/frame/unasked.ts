import type { LiveRegion, Terminal } from '../../ports/terminal.ts';

/** A terminal at which nobody is asked and nothing is drawn: only lines, as in a pipe. */
export function unasked({ line, problem, json }: Pick<Terminal, 'line' | 'problem' | 'json'>): Terminal {
  const nothing = async (): Promise<null> => null;
  return {
    interactive: false,
    line,
    problem,
    json,
    paint: () => '',
    region: (): LiveRegion => ({ draw: () => undefined, close: () => undefined, [Symbol.dispose]: () => undefined }),
    screen: nothing,
    ask: nothing,
    askSecret: nothing,
  };
}
