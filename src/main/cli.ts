import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { armFailpoints } from '../adapters/process/failpoint.ts';
import { openTerminal } from '../adapters/terminal/index.ts';
import { commandList } from '../cli/commands/list.ts';
import { commandSummaries } from '../cli/commands/summaries.ts';
import type { Context, Signal } from '../cli/frame/command.ts';
import { type GlobalOptions, runProgram } from '../cli/frame/program.ts';
import { ports } from './ports.ts';

/** The command line and, in `run` and `resume`, the coordinator. Only this file reads its environment and signals. */
armFailpoints(process.env['TIDEGATE_FAILPOINT']);

const listeners = new Set<(signal: Signal) => void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => notify(signal));

function notify(signal: Signal): void {
  if (listeners.size === 0) process.exit(130);
  for (const listener of listeners) listener(signal);
}

const readerGone = new AbortController();
// one per colour setting: parsing options twice must not open the streams again
const terminals = new Map<boolean, ReturnType<typeof openTerminal>>();

function terminal(colour: boolean): ReturnType<typeof openTerminal> {
  const opened =
    terminals.get(colour) ??
    openTerminal({
      stdin: () => process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: colour ? process.env : { ...process.env, NO_COLOR: '1' },
      onReaderGone: () => readerGone.abort(),
      onInterrupt: () => notify('SIGINT'),
    });
  terminals.set(colour, opened);
  return opened;
}

function open(options: GlobalOptions): Context {
  return {
    terminal: terminal(options.colour),
    json: options.json,
    cwd: options.directory === null ? process.cwd() : resolve(options.directory),
    stateRoot: options.stateRoot === null ? null : resolve(options.stateRoot),
    env: process.env,
    version,
    readerGone: readerGone.signal,
    onSignal: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

process.exitCode = await runProgram(process.argv.slice(2), {
  commands: commandList,
  summaries: commandSummaries,
  ports,
  open,
});
for (const opened of terminals.values()) await opened.leave();
