import { dirname } from 'node:path';
import { nearestWord } from '../../domain/base/nearest-word.ts';
import { describeRefusal, explain } from '../../domain/explain/explain.ts';
import { EnvironmentFailed } from '../../ports/failures.ts';
import type { Text } from '../../ports/terminal.ts';
import {
  type Command,
  type CommandList,
  type CommandSummary,
  type Context,
  exitCodes,
  type Outcome,
  type Program,
  usageError,
} from './command.ts';
import { globalOptions, overview } from './help.ts';
import { type ParsedInput, parserOf } from './parse.ts';

type Frame = Program & {
  /** Absent: every command is loaded for its summary. */
  readonly summaries?: () => Promise<readonly CommandSummary[]>;
  readonly open: (options: GlobalOptions) => Context;
};
export type GlobalOptions = {
  readonly directory: string | null;
  readonly stateRoot: string | null;
  readonly json: boolean;
  readonly colour: boolean;
};

/** Parses the command line, runs one command, prints its outcome and returns the exit code. */
export async function runProgram(argv: readonly string[], frame: Frame): Promise<number> {
  const front = readFront(argv);
  const context = frame.open(front.options);
  const end = (name: string, outcome: Outcome): number => finish(name, outcome, context);
  if (front.problem !== null) return end('tidegate', usageError('unknown-option', front.problem));
  if (front.version) return end('version', versionOf(context));
  if (front.name === null || (front.name === 'help' && front.rest.length === 0)) {
    const summaries = await (frame.summaries?.() ?? allCommands(frame.commands));
    return end('help', { exit: exitCodes.done, reason: 'done', lines: overview(summaries) });
  }
  const [name, rest] = front.name === 'help' ? [front.rest[0] ?? '', ['--help']] : ([front.name, front.rest] as const);
  const load = Object.hasOwn(frame.commands, name) ? frame.commands[name] : undefined;
  if (load === undefined) return end('tidegate', unknownCommand(name, Object.keys(frame.commands)));
  return await runCommand(await load(), front.help ? ['--help'] : rest, front.options, frame);
}

/** Loads every command, in the order of `--help`. */
export const allCommands = (commands: CommandList): Promise<readonly Command[]> =>
  Promise.all(Object.values(commands).map((load) => load()));

/** Global options may be typed before the command or after it. */
async function runCommand(
  command: Command,
  argv: readonly string[],
  front: GlobalOptions,
  frame: Frame,
): Promise<number> {
  const { name } = command;
  const library = await import('commander');
  const split = takeGlobals(argv, front);
  const context = frame.open(split.options);
  if (split.problem !== null) return finish(name, usageError('missing-value', split.problem), context);
  const parsed: ParsedInput[] = [];
  const parser = parserOf(command, library, (input) => parsed.push(input)).configureOutput({
    writeOut: (text) => {
      for (const line of text.trimEnd().split('\n')) context.terminal.line(line);
    },
    writeErr: () => {},
  });
  try {
    parser.parse([...split.rest], { from: 'user' });
    const [input] = parsed;
    if (input === undefined) throw new Error(`${name} was parsed without an input`);
    return finish(name, await command.run(input, context, frame), context);
  } catch (error) {
    if (error instanceof EnvironmentFailed) return finish(name, environmentFailure(name, error), context);
    if (isSystemFailure(error)) return finish(name, systemFailure(name, error), context);
    if (!(error instanceof library.CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.done;
    return finish(name, usageError('usage', oneLine(error.message, name)), context);
  }
}

type Front = {
  readonly options: GlobalOptions;
  readonly name: string | null;
  readonly rest: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
  readonly problem: string | null;
};

/** Reads the options before the name of the command. */
function readFront(argv: readonly string[]): Front {
  const at = commandIndex(argv);
  const { options, rest, problem } = takeGlobals(argv.slice(0, at), noOptions);
  const help = rest.some((flag) => flag === '-h' || flag === '--help');
  const version = rest.some((flag) => flag === '-V' || flag === '--version');
  const unknown = rest.find((flag) => !['-h', '--help', '-V', '--version'].includes(flag));
  const similar = unknown === undefined ? null : nearest(unknown, globalNames);
  return {
    options,
    name: argv[at] ?? null,
    rest: argv.slice(at + 1),
    help,
    version,
    problem:
      problem ??
      (unknown === undefined
        ? null
        : `unknown option ${unknown}${similar === null ? '; see tidegate --help' : `; did you mean ${similar}?`}`),
  };
}

const globalNames = globalOptions.map(({ flags }) => flags.replace(/ <.*/, '').split(', ').at(-1) ?? flags);
const noOptions: GlobalOptions = { directory: null, stateRoot: null, json: false, colour: true };
const takesValue = (flag: string): boolean => flag === '-C' || flag === '--state-dir';

function commandIndex(argv: readonly string[]): number {
  let at = 0;
  while (at < argv.length && argv[at]?.startsWith('-')) at += takesValue(argv[at] ?? '') ? 2 : 1;
  return Math.min(at, argv.length);
}

/** Takes the global options out, up to a `--`. */
function takeGlobals(
  argv: readonly string[],
  before: GlobalOptions,
): { options: GlobalOptions; rest: readonly string[]; problem: string | null } {
  let options = before;
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const flag = argv[at] ?? '';
    if (flag === '--') return { options, rest: [...rest, ...argv.slice(at)], problem: null };
    const [name, inline] = flag.startsWith('--state-dir=') ? ['--state-dir', flag.slice(12)] : [flag, undefined];
    if (takesValue(name)) {
      const value = inline ?? argv[++at];
      if (value === undefined || value === '') return { options, rest, problem: `${name} needs a directory` };
      options = name === '-C' ? { ...options, directory: value } : { ...options, stateRoot: value };
    } else if (name === '--json') options = { ...options, json: true };
    else if (name === '--no-color') options = { ...options, colour: false };
    else rest.push(flag);
  }
  return { options, rest, problem: null };
}

function finish(name: string, outcome: Outcome, context: Context): number {
  const { terminal, json } = context;
  for (const problem of outcome.problems ?? []) terminal.problem(problem);
  if (json) {
    const { exit, reason, needs = [], data = {} } = outcome;
    terminal.json({ schema: `tidegate.${name}/1`, exit, reason, needs, ...data });
  } else {
    for (const line of outcome.lines ?? []) terminal.line(line);
    for (const need of outcome.needs ?? []) terminal.line(needLine(need));
  }
  return outcome.code ?? outcome.exit;
}

const needLine = (need: { message: string; command: string }): Text => [
  { text: 'needed: ', tone: 'waiting' },
  `${need.message}: ${need.command}`,
];

const versionOf = ({ version }: Context): Outcome => ({
  exit: exitCodes.done,
  reason: 'done',
  lines: [version],
  data: { version },
});

function unknownCommand(name: string, names: readonly string[]): Outcome {
  const similar = nearest(name, names);
  const hint = similar === null ? 'see tidegate --help' : `did you mean ${similar}?`;
  return usageError('unknown-command', `unknown command ${name}; ${hint}`);
}

/** The operating system refused: disk full, no permission, too many files. Anything else that is thrown is a bug. */
const isSystemFailure = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

const environmentFailure = (name: string, { finding }: EnvironmentFailed): Outcome => ({
  exit: exitCodes.failed,
  reason: finding.rule,
  problems: [`tidegate: ${name}: ${describeRefusal(finding)}`],
  data: { message: explain(finding).detail },
});

function systemFailure(name: string, error: NodeJS.ErrnoException): Outcome {
  const message = error.syscall === 'mkdtemp' ? noScratch(error) : (unwritable(error, name) ?? error.message);
  return {
    exit: exitCodes.failed,
    reason: 'system-failure',
    problems: [`tidegate: ${name}: ${message}`],
    data: { message },
  };
}

/** Null unless a file could not be written because of its permissions or a read-only disk. */
const unwritable = ({ code = '', path }: NodeJS.ErrnoException, name: string): string | null =>
  path === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(code)
    ? null
    : `no permission for ${path} (${code}). Make it accessible, then run: tidegate ${name === 'run' ? 'resume' : name}`;

/** The system makes up the names of temporary files, so only the directory is worth naming. */
const noScratch = ({ code, path = '' }: NodeJS.ErrnoException): string =>
  `cannot create temporary files in ${dirname(path)} (${code}). Set TMPDIR to a directory that you can write to`;

/** Also accepts the first letters: `comp` is not near `completion`. */
const nearest = (typed: string, known: readonly string[]): string | null =>
  nearestWord(typed, known) ?? known.find((name) => typed.length > 2 && name.startsWith(typed)) ?? null;

/** Words an error of Commander in one line, like our own. */
function oneLine(message: string, name: string): string {
  const [first = '', hint] = message.replace(/^error: /, '').split('\n');
  const suggestion = hint?.replace(/^\(Did you mean (.*)\?\)$/, 'did you mean $1?');
  const typed = /unknown option '([^']+)'/.exec(first)?.[1];
  const global = typed === undefined ? null : nearest(typed, globalNames);
  const hintText = suggestion ?? (global === null ? `see tidegate ${name} --help` : `did you mean ${global}?`);
  return `${name}: ${first.replaceAll("'", '').replace(/\.$/, '')}; ${hintText}`;
}
