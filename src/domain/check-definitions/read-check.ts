import { below, resolvePath } from '../lexical-path.ts';
import { type PlainCommand, plainCommands } from '../plain-commands.ts';
import { type Definition, mergeDefinitions } from './definition.ts';
import { readProgram } from './programs.ts';
import type { Found, ProjectFiles, Reading, Source } from './reading.ts';

/** Scripts that lead to scripts: deeper than anyone writes, and a bound on those that lead to themselves. */
const deepest = 12;

/**
 * What defines a check: the files, and keys in files, that decide what its command proves. Not what it judges: tests, sources and
 * dependencies. `unread` names what the command runs and of which no table knows what it reads.
 */
export function definitionsOf(command: string, files: ProjectFiles): Found {
  const definitions: Definition[] = [{ path: 'tidegate.yaml' }];
  const unread = new Set<string>();
  const seen = new Set<string>();
  const reading = (depth: number): Reading => ({
    files,
    define: (path, keys) => {
      for (const each of [path, files.linked(path) ?? path])
        definitions.push(keys === undefined ? { path: each } : { path: each, keys });
    },
    unread: (what) => unread.add(what),
    commands: (text, directory, from = 'command') => {
      const once = `${from} ${directory} ${text}`;
      if (depth >= deepest || seen.has(once)) return;
      seen.add(once);
      readCommands(reading(depth + 1), text, directory, from);
    },
  });
  reading(0).commands(command, '');
  return { definitions: mergeDefinitions(definitions), unread: [...unread] };
}

const top = '/top';

function readCommands(reading: Reading, text: string, directory: string, from: Source): void {
  const own = ownNames(text);
  for (const command of plainCommands(text, `${top}/${directory}`)) {
    const { name } = command;
    // `for x in`, `case x in`
    if (name === undefined || own.has(command.program) || command.args[0]?.text === 'in') continue;
    const place = placeOf(command) ?? (from === 'script' ? directory : null);
    if (place === outside) continue;
    if (name.plain && place !== null)
      readProgram(reading, { program: name.text, args: command.args.map((word) => word.text), directory: place });
    else if (from === 'command') reading.unread(name.text === '' ? '$(…)' : name.text);
  }
}

/** Functions and the labels of `case`: names that are no programs. */
const ownNames = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^\s*(?:function\s+)?\(?([\w.|-]+)\s*(?:\(\s*)?\)/gm)].flatMap(([, name = '']) =>
      name.split('|'),
    ),
  );

const outside = '..';

/** From the top, or `outside`; null when nobody can tell: a shell script that finds its own directory is taken to stay. */
const placeOf = ({ directory }: PlainCommand): string | null =>
  directory === null ? null : (below(top, resolvePath(top, directory)) ?? outside);
