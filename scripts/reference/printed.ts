import { commandList } from '../../src/cli/commands/list.ts';
import type { Context } from '../../src/cli/frame/command.ts';
import { runProgram } from '../../src/cli/frame/program.ts';
import { plainTerminal } from '../../src/cli/frame/terminals.ts';
import { ports } from '../../src/main/ports.ts';
import type { Text } from '../../src/ports/terminal.ts';

/** The lines that a call prints on standard output, in this process. */
export async function printed(argv: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const line = (text: Text = ''): void => {
    const whole =
      typeof text === 'string' ? text : text.map((span) => (typeof span === 'string' ? span : span.text)).join('');
    lines.push(...whole.split('\n').map((one) => one.trimEnd()));
  };
  const context: Context = {
    terminal: plainTerminal({ line, problem: () => undefined, json: () => undefined }),
    json: false,
    cwd: '/',
    stateRoot: null,
    env: {},
    version: '',
    readerGone: new AbortController().signal,
    onSignal: () => ({ [Symbol.dispose]: () => undefined }),
  };
  await runProgram(argv, { commands: commandList, ports, open: () => context });
  return lines;
}
