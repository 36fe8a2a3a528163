import { existingFiles } from '../config-files.ts';
import { type Call, filesStarted, pathFrom, type Reading, shownWord } from '../reading.ts';

/** Reads a file of the repository that a command starts. It counts as a whole, and a shell script is read further. */
export function readScript(reading: Reading, path: string, call: Call): void {
  const text = reading.files.text(path);
  const interpreter = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.-]+)\s*$/m.exec(text?.split('\n')[0] ?? '')?.[1];
  if (/\.(sh|bash)$/.test(path) || /^(ba|da|z|k|a)?sh$/.test(interpreter ?? '')) readShellScript(reading, path, call);
  else reading.define(path);
}

function readShellScript(reading: Reading, path: string, { args, directory }: Call): void {
  reading.define(path);
  const text = reading.files.text(path);
  if (text === null) return;
  reading.commands(text, directory, path);
  if (passesArguments(text)) readPassed(reading, args, directory);
}

/** Reads `sh x`, `bash x` and other shells. */
export function readShell(reading: Reading, call: Call): void {
  const { program, args, directory } = call;
  const code = args.findIndex((arg) => /^-[a-z]*c$/i.test(arg));
  if (code >= 0) {
    // the text was read as commands already, except for expansions
    const text = args.slice(code + 1).find((arg) => !/^[-+]/.test(arg)) ?? '';
    if (/^\$(?!\w*\/)/.test(text)) reading.unread(shownWord(text));
    return;
  }
  const at = args.findIndex((arg, index) => !/^[-+]/.test(arg) && !shellTakes.includes(args[index - 1] ?? ''));
  const script = at < 0 ? undefined : args[at];
  if (script === undefined) {
    if (!isInformational(args)) reading.unread(program);
    return;
  }
  for (const pattern of filesStarted(reading, directory, script)) {
    reading.define(pattern);
    for (const path of existingFiles(reading.files, pattern))
      readShellScript(reading, path, { ...call, args: args.slice(at + 1) });
  }
}

const shellTakes = ['-o', '+o', '-O', '+O', '--rcfile', '--init-file'];

export function readSourced(reading: Reading, call: Call): void {
  const [file = ''] = call.args;
  // without a slash the shell looks on its PATH first, and then here
  const paths = file === '' ? [] : filesStarted(reading, call.directory, file);
  for (const path of paths) readShellScript(reading, path, call);
}

/** True for a script or function that uses its arguments, which may then be a command. */
export const passesArguments = (text: string): boolean => /\$[@*1]|\$\{[@*1]/.test(text);

/** Reads the words from the first program on: `run pytest -q`, `step "unit tests" npm test`. */
export function readPassed(reading: Reading, words: readonly string[], directory: string): void {
  const at = words.findIndex((word) => reading.knows(word) || isFile(reading, directory, word));
  const [program, ...args] = at < 0 ? [] : words.slice(at);
  if (program !== undefined) reading.program({ program, args, directory });
}

function isFile({ files }: Reading, directory: string, word: string): boolean {
  const path = word.includes('/') ? pathFrom(directory, word) : null;
  return path !== null && files.has(path);
}

/** True for code on a command line that may load, read or start something. The code itself is part of the plan. */
export const usesFiles = (code: string): boolean => /[$`]/.test(code) || leading.test(code);

const leading =
  /\b(?:require\w*|import\w*|use|using|include\w*|load\w*|source|do|open\w*|read\w*|slurp|File|fs|exec\w*|system|spawn\w*|popen|fork|shell\w*|eval|run\w*|test)\b/;

/** True for a call that only prints a version or help. */
export const isInformational = (args: readonly string[]): boolean =>
  args.length > 0 && args.every((arg) => /^(?:-v|-V|-VV|-h|--?version|--?help)$/.test(arg));
