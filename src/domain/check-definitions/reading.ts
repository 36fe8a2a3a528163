import { below, resolvePath } from '../lexical-path.ts';
import type { Definition } from './definition.ts';

/** The files of the commit that a run starts from. Sound on any content: what cannot be read is null. */
export type ProjectFiles = {
  readonly paths: readonly string[];
  has(path: string): boolean;
  text(path: string): string | null;
  /** Where a link leads, all links on the way followed; null for what is none, or leads out of the repository. */
  linked(path: string): string | null;
  /** JSON, TOML or YAML as its value; null when the file is none, or is missing. */
  data(path: string): unknown;
};

/** What the readers of commands share: where they look, and where they put what they find. */
export type Reading = {
  readonly files: ProjectFiles;
  define(path: string, keys?: readonly string[]): void;
  /** Something that the command runs and of which nobody knows what it reads. */
  unread(what: string): void;
  /** A further command that this one leads to. */
  commands(text: string, directory: string, from?: Source): void;
};

/** `script`: a shell script, which finds its own directory and has names of its own. */
export type Source = 'command' | 'script';

/** A program as it is called, in a directory from the top ('' is the top). */
export type Call = { readonly program: string; readonly args: readonly string[]; readonly directory: string };

const top = '/top';

/** As a shell would find it, by spelling alone; null when it lies outside of the repository. */
export const pathFrom = (directory: string, path: string): string | null =>
  below(top, resolvePath(`${top}/${directory}`, path));

export const join = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

/** The directory itself, and those above it up to the top: where tools look for their configuration. */
export function upwards(directory: string): readonly string[] {
  const steps = directory === '' ? [] : directory.split('/');
  return [...steps.map((_, index) => steps.slice(0, steps.length - index).join('/')), ''];
}

export type Found = { readonly definitions: readonly Definition[]; readonly unread: readonly string[] };

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
