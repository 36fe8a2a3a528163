import { below, resolvePath } from '../base/lexical-path.ts';
import { type PlainCommand, plainCommands } from '../shell/plain-commands.ts';
import type { Word } from '../shell/shell-words.ts';
import { type Definition, mergeDefinitions } from './definition.ts';
import { ownNames } from './own-names.ts';
import { plain } from './programs/plain-programs.ts';
import { passesArguments, readPassed } from './programs/shell-scripts.ts';
import { isKnown, readProgram } from './programs.ts';
import { type FoundDefinitions, type ProjectFiles, parentOf, pathFrom, type Reading, shownWord } from './reading.ts';

/** Scripts that lead to scripts: deeper than anyone writes, and a bound on those that lead to themselves. */
const deepest = 12;

/**
 * The definitions of a check: files, and keys in files, that decide what its command proves. Tests, sources and dependencies are none:
 * the check judges them. `unread` names what the command runs without a table that knows its files.
 */
export function definitionsOf(command: string, files: ProjectFiles): FoundDefinitions {
  const definitions: Definition[] = [{ path: 'tidegate.yaml' }];
  const unread = new Set<string>();
  const seen = new Set<string>();
  const reading = (depth: number): Reading => ({
    files,
    define: (path, keys) => {
      for (const each of [path, ...files.linked(path)])
        definitions.push(keys === undefined ? { path: each } : { path: each, keys });
    },
    unread: (what) => unread.add(what),
    commands: (text, directory, script) => {
      const once = `${script ?? ''}\n${directory}\n${text}`;
      if (seen.has(once)) return;
      seen.add(once);
      if (depth < deepest) readCommands(reading(depth + 1), { text, directory, script: script ?? null });
      else unread.add(script ?? text);
    },
    program: (call) => {
      if (depth < deepest) readProgram(reading(depth + 1), call);
      else unread.add(call.program);
    },
    knows: isKnown,
  });
  reading(0).commands(command, '');
  return { definitions: mergeDefinitions(definitions), unread: [...unread] };
}

/** Commands as they are written, and where they start. `script`: the file that holds them; null for a command of a check or a recipe. */
type Source = { readonly text: string; readonly directory: string; readonly script: string | null };

function readCommands(reading: Reading, source: Source): void {
  const { text, script } = source;
  const own = script === null ? null : ownNames(text);
  const placesOf = whereabouts(source);
  for (const command of plainCommands(text, `${top}/${source.directory}`)) {
    const { name } = command;
    const places = placesOf(command);
    if (name?.text === 'eval' && command.args.some(isOutput)) reading.unread('eval');
    // `for x in`, `case x in`
    if (name === undefined || command.args[0]?.text === 'in' || plain.has(name.text)) continue;
    const args = inputOf(command) ?? command.args.map(argumentText);
    if (own?.isFunction(command)) {
      if (passesArguments(text)) for (const directory of places ?? []) readPassed(reading, args, directory);
    } else if (own?.takeLabel(command) || (own !== null && /^\$[@*]$/.test(name.text))) continue;
    else if (places === null) reading.unread(shownWord(name.text));
    else for (const directory of places) reading.program({ program: argumentText(name), args, directory });
  }
}

/** The file in place of the arguments, for a shell or an interpreter that reads its code from there: `sh < x`. */
function inputOf({ program, args, redirects }: PlainCommand): readonly string[] | null {
  const input = redirects.findLast(({ operator }) => operator === '<');
  const isCode = args.every(({ text }) => text.startsWith('-')) || args[0]?.text === '-s';
  const isReader = /^((ba|da|z|k|a|fi)?sh|node|python[\d.]*|ruby|perl|php|lua)$/.test(program);
  return input !== undefined && isCode && isReader ? [argumentText(input.target)] : null;
}

/** A word that the output of a command is put into. */
const isOutput = ({ text, plain: isWhole }: Word): boolean => !isWhole && !text.includes('$');

/** A word of which the shell fills in a part has a `$` there: also for the output of a command, which is left out of its text. */
const argumentText = ({ text, plain: isWhole }: Word): string =>
  isWhole || text.includes('$') || (/[*?[{]/.test(text) && !text.startsWith('/')) ? text : `$${text}`;

const top = '/top';
const mostPlaces = 16;

/**
 * Directories that each command can start in: one as long as the reader of the shell can tell, every candidate after that. A script that
 * works out a directory is taken to mean its own, or the top. Null when nobody can tell.
 */
function whereabouts({ text, directory, script }: Source): (command: PlainCommand) => readonly string[] | null {
  let places: readonly string[] = [directory];
  let isLost = false;
  return ({ program, args, directory: exact }) => {
    const known = exact === null ? null : below(top, resolvePath(top, exact));
    if (exact !== null) places = known === null ? [] : [known];
    const here = places;
    const to = program === 'cd' || program === 'pushd' ? args.find((word) => word.text !== '--') : undefined;
    if (to !== undefined && !/^[-~]/.test(to.text)) {
      const word = argumentText(to);
      const step = to.plain ? word : word.replace(/^\$[^/]*\/?/, '');
      const roots = to.plain ? here : ['', parentOf(script ?? '')];
      isLost ||= !to.plain && (script === null || /[$*?[{]/.test(step) || isVarying(text, word));
      const targets = roots.flatMap((root) => pathFrom(root, step === '' ? '.' : step) ?? []);
      places = [...new Set([...here, ...targets])].slice(0, mostPlaces);
    }
    return exact === null && isLost ? null : here;
  };
}

/** An argument of the script, or the variable of a loop: nothing that a script works out once. */
function isVarying(text: string, word: string): boolean {
  const variable = /^\$(\w+)/.exec(word)?.[1];
  return (
    variable !== undefined &&
    (/^\d/.test(variable) || new RegExp(`\\b(?:for|read)\\s+(?:-r\\s+)?${variable}\\b`).test(text))
  );
}
