import { below, resolvePath } from '../base/paths.ts';
import type { Definition } from './definition.ts';

/** The files of the commit that a run starts from. Content that cannot be read is null. */
export type ProjectFiles = {
  readonly paths: readonly string[];
  has(path: string): boolean;
  text(path: string): string | null;
  /** Returns the other paths of the same file, by the links that lead to it; the last one is the file itself. Also for patterns. */
  linked(path: string): readonly string[];
  /** Parses JSON, TOML or YAML; null for another format or a missing file. */
  data(path: string): unknown;
};

/** The input and output of the readers of commands. */
export type Reading = {
  readonly files: ProjectFiles;
  define(path: string, keys?: readonly string[]): void;
  /** Reports a part of the command that may read files which no table knows. */
  unread(what: string): void;
  /** Reads commands that this one starts. `script`: the file that holds them. */
  commands(text: string, directory: string, script?: string): void;
  /** Reads a program that this one starts. */
  program(call: Call): void;
  /** True when a table knows the files of this program. */
  knows(program: string): boolean;
};

/** A call of a program. `directory` is relative to the top ('' is the top). */
export type Call = { readonly program: string; readonly args: readonly string[]; readonly directory: string };

export type ProgramReader = (reading: Reading, call: Call) => void;

const top = '/top';

/** Resolves a path as a shell would, without following links; null outside of the repository. */
export const pathFrom = (directory: string, path: string): string | null =>
  below(top, resolvePath(`${top}/${directory}`, path));

export const join = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

export const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Returns the directory and those above it up to the top, where tools look for their configuration. */
export function upwards(directory: string): readonly string[] {
  const steps = directory === '' ? [] : directory.split('/');
  return [...steps.map((_, index) => steps.slice(0, steps.length - index).join('/')), ''];
}

/** Returns the nearest directory, here or above, that has this file. A new file nearer by would replace it, so that counts as a definition. */
export function nearestPlace({ files, define }: Reading, file: string, directory: string): string | null {
  const places = upwards(directory);
  const at = places.findIndex((place) => files.has(join(place, file)));
  for (const place of places.slice(0, Math.max(at, 0))) define(join(place, file));
  return places[at] ?? null;
}

/**
 * Returns the files that a word of a command can name. If the shell expands its beginning (`$here/x.sh`), these are all files with that
 * ending, also ones that do not exist yet. Empty outside of the repository.
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

/** A name that more files share identifies none of them. */
const mostAlike = 20;

/** Returns the literal part of a path after every expansion; null when there is none. */
function afterExpansion(word: string): string | null {
  const steps = /\$[^/$]*\/([^$]*)$/.exec(word)?.[1]?.split('/') ?? [];
  const written = steps.slice(steps.lastIndexOf('..') + 1).filter((step) => step !== '' && step !== '.');
  return written.length === 0 ? null : written.join('/');
}

/** Does the same, and reports `unread` when the file cannot be determined. */
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

/** Writes a word for people. A word that is only an expansion becomes `$(…)`. */
export const shownWord = (word: string): string => (/^\$?$/.test(word) ? '$(…)' : word);

/** Returns the directory that a word names; null outside of the repository or when the shell expands it. */
export const placeFrom = (directory: string, word: string): string | null =>
  word.includes('$') ? null : pathFrom(directory, word);

export type CommandDefinitions = { readonly definitions: readonly Definition[]; readonly unread: readonly string[] };

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Programs that read only the files that their command names, or only install something. */
export const plainPrograms: ReadonlySet<string> = new Set(
  `: [ [[ alias b2sum base64 basename bg break bzip2 cat cd chmod chown cksum clear cmp column comm continue cp csplit curl cut
  date dd declare df diff dirname du echo ed egrep eval exec exit expand export expr false fg fgrep file find fmt fold
  getconf getopts git grep gunzip gzip hash head help hostname iconv id install jobs join jq kill less let ln local locale ls
  md5sum mkdir mkfifo mktemp more mv nice nl nohup nproc od paste patch pgrep pkill popd printenv printf ps pushd pwd read
  readlink readonly realpath return rev rm rmdir rsync sed select seq set sha1sum sha256sum sha512sum shift shopt shuf sleep
  sort split ssh stat stdbuf strings sum sync tac tail tar tee test timeout touch tr trap true truncate tty type typeset ulimit
  umask uname unalias uniq unset unzip unxz uuidgen wait watch wc wget which whoami who xargs xmllint xxd xz yes yq zcat zip
  apk apt apt-get brew corepack ensurepip gem rustup venv virtualenv
  if then else elif fi for while until do done case esac in function time { } ! tidegate`.split(/\s+/),
);
