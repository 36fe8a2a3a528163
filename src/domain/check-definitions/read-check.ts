import { below, resolvePath } from '../base/paths.ts';
import { type PlainCommand, plainCommands } from '../shell/plain-commands.ts';
import type { Word } from '../shell/shell-words.ts';
import { type Definition, mergeDefinitions } from './definition.ts';
import { isKnown, readProgram } from './program-table.ts';
import { passesArguments, readPassed } from './programs/shell-scripts.ts';
import {
  type CommandDefinitions,
  type ProjectFiles,
  parentOf,
  pathFrom,
  plainPrograms,
  type Reading,
  shownWord,
} from './reading.ts';

/** The deepest chain of scripts that is followed. It also ends scripts that start themselves. */
const deepest = 12;

/**
 * Returns the definitions of a check: the files and keys that decide what its command proves. Tests, sources and dependencies are not
 * among them, because the check judges them. `unread` names the parts of the command whose files no table knows.
 */
export function definitionsOf(command: string, files: ProjectFiles): CommandDefinitions {
  const definitions: Definition[] = [{ path: 'tidegate.yaml' }];
  const unread = new Set<string>();
  const read = new Set<string>();
  const reading = (depth: number): Reading => ({
    files,
    define: (path, keys) => {
      for (const each of [path, ...files.linked(path)])
        definitions.push(keys === undefined ? { path: each } : { path: each, keys });
    },
    unread: (what) => unread.add(what),
    commands: (text, directory, script) => {
      const key = `${script ?? ''}\n${directory}\n${text}`;
      if (read.has(key)) return;
      read.add(key);
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

/** The text of commands and the directory that they start in. `script`: the file that holds them; null for a check or a recipe. */
type Source = { readonly text: string; readonly directory: string; readonly script: string | null };

function readCommands(reading: Reading, source: Source): void {
  const { text, script } = source;
  const own = script === null ? null : ownNames(text);
  const placesOf = directoriesOf(source);
  for (const command of plainCommands(text, `${top}/${source.directory}`)) {
    const { name } = command;
    const places = placesOf(command);
    if (name?.text === 'eval' && command.args.some(isOutput)) reading.unread('eval');
    // `for x in`, `case x in`
    if (name === undefined || command.args[0]?.text === 'in' || plainPrograms.has(name.text)) continue;
    const args = inputOf(command) ?? command.args.map(argumentText);
    if (own?.isFunction(command)) {
      if (passesArguments(text)) for (const directory of places ?? []) readPassed(reading, args, directory);
    } else if (own?.takeLabel(command) || (own !== null && /^\$[@*]$/.test(name.text))) continue;
    else if (places === null) reading.unread(shownWord(name.text));
    else for (const directory of places) reading.program({ program: argumentText(name), args, directory });
  }
}

/** Returns the input file of a shell or an interpreter that reads its code from it (`sh < x`); null for other commands. */
function inputOf({ program, args, redirects }: PlainCommand): readonly string[] | null {
  const input = redirects.findLast(({ operator }) => operator === '<');
  const isCode = args.every(({ text }) => text.startsWith('-')) || args[0]?.text === '-s';
  const isReader = /^((ba|da|z|k|a|fi)?sh|node|python[\d.]*|ruby|perl|php|lua)$/.test(program);
  return input !== undefined && isCode && isReader ? [argumentText(input.target)] : null;
}

/** True for a word that contains the output of a command. */
const isOutput = ({ text, plain: isWhole }: Word): boolean => !isWhole && !text.includes('$');

/** Marks every expansion in a word with `$`, also the output of a command, which is missing in its text. */
const argumentText = ({ text, plain: isWhole }: Word): string =>
  isWhole || text.includes('$') || (/[*?[{]/.test(text) && !text.startsWith('/')) ? text : `$${text}`;

const top = '/top';
const mostPlaces = 16;

/**
 * Returns the directories that each command can start in: one while the shell text determines it, every candidate after that. A script
 * that computes a directory is assumed to compute its own, or the top. Null when it cannot be determined.
 */
function directoriesOf({ text, directory, script }: Source): (command: PlainCommand) => readonly string[] | null {
  let places: readonly string[] = [directory];
  let isLost = false;
  return ({ program, args, directory: exact }) => {
    const place = exact === null ? null : below(top, resolvePath(top, exact));
    if (exact !== null) places = place === null ? [] : [place];
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

/** True for an argument of the script or the variable of a loop, which have several values. */
function isVarying(text: string, word: string): boolean {
  const variable = /^\$(\w+)/.exec(word)?.[1];
  return (
    variable !== undefined &&
    (/^\d/.test(variable) || new RegExp(`\\b(?:for|read)\\s+(?:-r\\s+)?${variable}\\b`).test(text))
  );
}

/** Names in a shell script that are not programs. */
type OwnNames = {
  isFunction(command: PlainCommand): boolean;
  /** True once for each label of a `case`, because a program may have the same name. */
  takeLabel(command: PlainCommand): boolean;
};

function ownNames(text: string): OwnNames {
  const functions = new Set(
    [...text.matchAll(/^[^\S\n]*(?:function[^\S\n]+([\w.-]+)|([\w.-]+)[^\S\n]*\([^\S\n]*\))/gm)].map(
      ([, keyword, plain]) => keyword ?? plain ?? '',
    ),
  );
  const labels = new Map<string, number>();
  for (const [, list = ''] of text.matchAll(/(?:\bin|;;|;&)\s*(?:#[^\n]*\n\s*)*\(?([^()\n;&$`]+)\)/g))
    for (const label of list.split('|').map((word) => word.trim().replace(/^["']|["']$/g, '')))
      labels.set(label, (labels.get(label) ?? 0) + 1);
  return {
    isFunction: ({ program }) => functions.has(program),
    takeLabel: ({ name, args }) => {
      const left = args.length > 0 ? 0 : (labels.get(name?.text ?? '') ?? 0);
      if (left > 0) labels.set(name?.text ?? '', left - 1);
      return left > 0;
    },
  };
}
