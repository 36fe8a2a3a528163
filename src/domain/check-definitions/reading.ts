import { below, resolvePath } from '../base/lexical-path.ts';
import type { Definition } from './definition.ts';

/** The files of the commit that a run starts from. Sound on any content: what cannot be read is null. */
export type ProjectFiles = {
  readonly paths: readonly string[];
  has(path: string): boolean;
  text(path: string): string | null;
  /** Further paths of the same file, where links lead on the way to it; the last is the file itself. Also for patterns. */
  linked(path: string): readonly string[];
  /** JSON, TOML or YAML as its value; null when the file is none, or is missing. */
  data(path: string): unknown;
};

/** Shared by the readers of commands: where they look, and where they put what they find. */
export type Reading = {
  readonly files: ProjectFiles;
  define(path: string, keys?: readonly string[]): void;
  /** Something that the command runs, and that reads files which Tidegate does not know. */
  unread(what: string): void;
  /** Further commands that this one leads to. `script`: the file that holds them. */
  commands(text: string, directory: string, script?: string): void;
  /** A further program that this one starts. */
  program(call: Call): void;
  /** Whether a table says what a program of this name reads. */
  knows(program: string): boolean;
};

/** A program as it is called, in a directory from the top ('' is the top). */
export type Call = { readonly program: string; readonly args: readonly string[]; readonly directory: string };

export type ProgramReader = (reading: Reading, call: Call) => void;

const top = '/top';

/** As a shell would find it, by spelling alone; null when it lies outside of the repository. */
export const pathFrom = (directory: string, path: string): string | null =>
  below(top, resolvePath(`${top}/${directory}`, path));

export const join = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

export const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** The directory itself, and those above it up to the top: where tools look for their configuration. */
export function upwards(directory: string): readonly string[] {
  const steps = directory === '' ? [] : directory.split('/');
  return [...steps.map((_, index) => steps.slice(0, steps.length - index).join('/')), ''];
}

/** The nearest directory, here or above, that has this file. Nearer ones would be taken in its place, so that they count as a whole. */
export function nearestPlace({ files, define }: Reading, file: string, directory: string): string | null {
  const places = upwards(directory);
  const at = places.findIndex((place) => files.has(join(place, file)));
  for (const place of places.slice(0, Math.max(at, 0))) define(join(place, file));
  return places[at] ?? null;
}

/**
 * Files that a word of a command can name. Where the shell fills in the beginning (`$here/x.sh`), these are all files that end so; such
 * a file also counts if it does not exist yet. Empty when it lies outside of the repository.
 */
export function filesNamed({ files, define }: Reading, directory: string, word: string): readonly string[] {
  if (!word.includes('$')) {
    const path = pathFrom(directory, word);
    return path === null || path === '' ? [] : [path];
  }
  const tail = afterExpansion(word);
  if (tail === null) return [];
  define(`**/${tail}`);
  return files.paths.filter((path) => path === tail || path.endsWith(`/${tail}`)).slice(0, mostAlike);
}

/** A name that more files have says nothing. */
const mostAlike = 20;

/** The part of a path that is written out, after anything that the shell fills in; null when there is none. */
function afterExpansion(word: string): string | null {
  const steps = /\$[^/$]*\/([^$]*)$/.exec(word)?.[1]?.split('/') ?? [];
  const written = steps.slice(steps.lastIndexOf('..') + 1).filter((step) => step !== '' && step !== '.');
  return written.length === 0 ? null : written.join('/');
}

/** The same, and `unread` when nobody can tell which file is meant. */
export function filesStarted(reading: Reading, directory: string, word: string): readonly string[] {
  // `find` and `xargs` fill that in
  if (word.includes('{}')) {
    reading.unread(word);
    return [];
  }
  const paths = filesNamed(reading, directory, word);
  if (paths.length === 0 && word.includes('$')) reading.unread(shownWord(word));
  return paths;
}

/** The output of a command, and what is put together from variables, leave nothing to show. */
export const shownWord = (word: string): string => (/^\$?$/.test(word) ? '$(…)' : word);

/** A directory that a word names; null when it lies outside of the repository, or the shell fills it in. */
export const placeFrom = (directory: string, word: string): string | null =>
  word.includes('$') ? null : pathFrom(directory, word);

export type FoundDefinitions = { readonly definitions: readonly Definition[]; readonly unread: readonly string[] };

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
