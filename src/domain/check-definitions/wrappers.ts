import { defineRunner } from './define-runner.ts';
import { operands, readInterpreter } from './interpreters.ts';
import { defineInstalled, runScripts } from './package-scripts.ts';
import { type Call, join, type Reader, type Reading } from './reading.ts';

/** Programs that start the one after them. `takes`: options followed by a word of their own. `words`: how many words come first. */
export function leads(takes: readonly string[] = [], words = 0): Reader {
  return (reading, { args, directory }) => {
    const rest = operands(args, takes).slice(words);
    const from = rest.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg) && arg !== '--');
    const [program, ...more] = from < 0 ? [] : rest.slice(from);
    if (program !== undefined) reading.program({ program, args: more, directory });
  };
}

export function readNpx(reading: Reading, { args, directory }: Call): void {
  const text = args.find((_, index) => args[index - 1] === '-c' || args[index - 1] === '--call');
  const [program, ...more] = operands(args, ['-p', '--package']);
  defineInstalled(reading, directory);
  if (text !== undefined) reading.commands(text, directory);
  // `npx vitest@3` is vitest
  else if (program !== undefined)
    reading.program({ program: program.replace(/(?<=.)@[^/@]*$/, ''), args: more, directory });
}

/** Wraps a command whose outcome it passes on, and reads something itself. */
export function wraps(runner: string, takes: readonly string[]): Reader {
  return (reading, call) => {
    defineRunner(reading, runner, call.args, call.directory);
    leads(takes)(reading, call);
  };
}

/** Runs scripts of all members of a repository. */
export function spreads(...files: readonly string[]): Reader {
  return (reading, { args, directory }) => {
    for (const file of files) reading.define(join(directory, file));
    const names = args.filter((arg) => /^[\w:.,]+$/.test(arg) && !['run', 'run-many', 'affected'].includes(arg));
    runScripts(
      reading,
      names.flatMap((name) => name.split(',')),
      directory,
      'all',
    );
  };
}

/** Each word is a script of `package.json`, or a command of its own. */
export function readSeveral(reading: Reading, { args, directory }: Call): void {
  for (const arg of operands(args, ['-n', '--names', '-c', '--prefix-colors', '--kill-others-on-fail']))
    if (arg.startsWith('npm:')) runScripts(reading, [arg.slice(4)], directory);
    else if (/\s/.test(arg)) reading.commands(arg, directory);
    else if (!/^https?:|^\d+$/.test(arg) && !arg.startsWith('-')) runScripts(reading, [arg], directory);
}

export function readCargo(reading: Reading, { args, directory }: Call): void {
  const [verb = ''] = operands(args).filter((arg) => !arg.startsWith('+'));
  if (!defineRunner(reading, `cargo ${verb}`, args, directory)) defineRunner(reading, 'cargo', args, directory);
}

export function readDeno(reading: Reading, call: Call): void {
  defineRunner(reading, 'deno', call.args, call.directory);
  const [verb, ...rest] = operands(call.args);
  if (verb === 'run') readInterpreter([], [])(reading, { ...call, args: rest });
}

export function readComposer(reading: Reading, { directory }: Call): void {
  reading.define(join(directory, 'composer.json'), ['scripts', 'config']);
}
