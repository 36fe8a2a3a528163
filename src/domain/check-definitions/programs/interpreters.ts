import { type Call, filesStarted, join, type ProgramReader, type Reading } from '../reading.ts';
import { defineNamed, defineRunner } from '../runners.ts';
import { runScripts } from './package-scripts.ts';
import { isInformational, usesFiles } from './shell-scripts.ts';

/** Returns the words from the first operand on. `takes`: options with a value. */
export function operands(args: readonly string[], takes: readonly string[] = []): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !takes.includes(args[index - 1] ?? ''));
  return at < 0 ? [] : args.slice(at);
}

/**
 * Reads `ruby file` and other interpreters. The file is a definition, whatever its name; only files given to a test runner are tests.
 * `code`: options that replace the file.
 */
export function readInterpreter(takes: readonly string[], code: readonly string[]): ProgramReader {
  return (reading, { program, args, directory }) => {
    defineNamed(reading, takes, args, directory);
    const [file] = operands(args, takes);
    const options = args.slice(0, file === undefined ? undefined : args.indexOf(file));
    const option = options.find((arg) => code.includes(arg) || /^-[a-z]*e$|^--eval=/i.test(arg));
    if (option !== undefined) {
      if (option !== '-c' && usesFiles(`${option} ${file ?? ''}`)) reading.unread(`${program} -e`);
    } else if (file === undefined || file === '-') {
      if (!isInformational(args)) reading.unread(program);
    } else for (const path of filesStarted(reading, directory, file)) reading.define(path);
  };
}

/** Reads awk, whose program is a word of the command unless an option names a file. */
export function readAwk(reading: Reading, { args, directory }: Call): void {
  defineNamed(reading, ['-f', '--file', '-i', '--include'], args, directory);
}

const nodeTakes = [
  ...['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--env-file'],
  ...['--test-reporter', '--test-reporter-destination', '--tsconfig', '-P', '--project'],
];

/** Reads `node` and its replacements. */
export function readNode(reading: Reading, call: Call): void {
  const { args, directory } = call;
  const script = args.find((_, index) => args[index - 1] === '--run') ?? optionValue(args, '--run');
  if (script !== undefined) runScripts(reading, [script], directory);
  else if (args.includes('--test')) defineRunner(reading, 'node --test', args, directory);
  else readInterpreter(nodeTakes, ['-e', '--eval', '-p', '--print', '-pe', '-c', '--check'])(reading, call);
}

const optionValue = (args: readonly string[], option: string): string | undefined =>
  args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1);

/** Reads python. `python -m x` looks for x in the current directory first. */
export function readPython(reading: Reading, call: Call): void {
  const { directory } = call;
  const { module, rest, code } = pythonArguments(call.args);
  if (module === null) {
    if (code !== null && usesFiles(code)) reading.unread(`${call.program} -c`);
    if (code === null && rest.length === 0 && !isInformational(call.args)) reading.unread(call.program);
    for (const path of rest.slice(0, 1).flatMap((file) => filesStarted(reading, directory, file))) reading.define(path);
    return;
  }
  const path = join(directory, module.replaceAll('.', '/'));
  const own = [`${path}.py`, `${path}/__main__.py`];
  for (const file of [...own, join(directory, 'sitecustomize.py')]) reading.define(file);
  if (!own.some((file) => reading.files.has(file))) reading.program({ program: module, args: rest, directory });
}

/** `rest` begins with the file, or holds the arguments of the module; empty for code on the command line. */
function pythonArguments(args: readonly string[]): {
  readonly module: string | null;
  readonly rest: readonly string[];
  readonly code: string | null;
} {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-') || arg === '-')
      return { module: null, rest: arg === '-' ? [] : args.slice(at), code: null };
    if (arg === '--check-hash-based-pycs') at++;
    // the first letter with a value takes the rest of this word, or the next word
    const [, letter, attached = ''] = /^-[a-zA-Z]*?([mcWX])(.*)$/.exec(arg) ?? [];
    if (letter === 'c') return { module: null, rest: [], code: attached || (args[at + 1] ?? '') };
    if (letter === 'm')
      return {
        module: attached || (args[at + 1] ?? ''),
        rest: args.slice(attached === '' ? at + 2 : at + 1),
        code: null,
      };
    if (letter !== undefined && attached === '') at++;
  }
  return { module: null, rest: [], code: null };
}

/** Reads coverage. `coverage run` is called like python. */
export function readCoverage(reading: Reading, call: Call): void {
  defineRunner(reading, 'coverage', call.args, call.directory);
  const [verb, ...args] = call.args;
  const takes = ['--source', '--rcfile', '--omit', '--include', '--context', '--data-file'];
  const from = args.findIndex(
    (arg, index) => arg === '-m' || (!arg.startsWith('-') && !takes.includes(args[index - 1] ?? '')),
  );
  if (verb === 'run' && from >= 0) readPython(reading, { ...call, program: 'python', args: args.slice(from) });
}
