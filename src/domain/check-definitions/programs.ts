import { defineRunner, isRunner } from './define-runner.ts';
import { readers } from './program-table.ts';
import { readPython } from './programs/interpreters.ts';
import { plain } from './programs/plain-programs.ts';
import { readScript } from './programs/shell-scripts.ts';
import { type Call, filesNamed, type ProgramReader, pathFrom, type Reading, shownWord } from './reading.ts';

/** Reads one call of a program: the files that it rests on, and what it starts in turn. */
export function readProgram(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const name = program.split('/').at(-1) ?? '';
  if (program.includes('$')) readFilledIn(reading, call);
  else if (!program.includes('/') || /^[/~]/.test(program)) readNamed(reading, { ...call, program: name });
  else {
    const path = pathFrom(directory, program);
    if (path === null) return;
    const wrapped = wrappers[name];
    if (!installed.test(program) && wrapped === undefined) readScript(reading, path, call);
    else {
      reading.define(path);
      readNamed(reading, { ...call, program: wrapped ?? name });
    }
  }
}

/** Package managers put programs there: a repository has none of them, unless a task plants one. */
const installed = /(^|\/)(node_modules\/\.bin|\.?venv\/bin|\.tox\/[^/]+\/bin|vendor\/bin)\/[^/]+$/;

/** Scripts of a repository that fetch a build tool and start it. */
const wrappers: Readonly<Record<string, string | undefined>> = { gradlew: 'gradle', mvnw: 'mvn' };

/** `$here/unit.sh` is a file of the repository, `$VENV/bin/pytest` is pytest. */
function readFilledIn(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const paths = filesNamed(reading, directory, program);
  const name = /\/([^/$]+)$/.exec(program)?.[1];
  if (paths.length > 0) for (const path of paths) readScript(reading, path, call);
  else if (name !== undefined && isKnown(name)) readNamed(reading, { ...call, program: name });
  else reading.unread(shownWord(program));
}

function readNamed(reading: Reading, call: Call): void {
  const { program, args, directory } = call;
  const reader = readerOf(program);
  if (reader !== undefined) reader(reading, call);
  else if (!defineRunner(reading, program, args, directory) && !plain.has(program)) reading.unread(program);
}

function readerOf(program: string): ProgramReader | undefined {
  if (/^python[\d.]*$/.test(program)) return readPython;
  return Object.hasOwn(readers, program) ? readers[program] : undefined;
}

/** Whether a table says what a program of this name reads. */
export const isKnown = (program: string): boolean => readerOf(program) !== undefined || isRunner(program);
