import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs, type StateDir } from '../../src/domain/ledger/state-dir.ts';
import { runOnly } from './run-only.ts';

export type Tried = { readonly name: string; readonly code: number; readonly said: string };

/** Directories that a fence makes anew: a write below them may succeed inside, and never reaches the host. */
const madeAnew = ['/tmp', '/var/tmp', '/dev', '/run'];
const isFar = (path: string): boolean => !madeAnew.some((root) => path === root || path.startsWith(`${root}/`));

/** Outside of those where there is a place for us, so that a write to it by name can only fail. */
export const farFromFence =
  ['/srv', join(realpathSync(import.meta.dirname), '../../node_modules')].find(
    (path) => isFar(path) && mayWrite(path),
  ) ?? tmpdir();

/** For a socket of the host that no fence may reach. */
export const socketsOfHost = (): string => mkdtempSync(join(mayWrite('/run') ? '/run' : farFromFence, 'tg-'));

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (['EACCES', 'ENOENT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * A script that tries each command in a shell of its own and notes exit status and words in `tries.txt`: what could not
 * even start is told from what was refused.
 */
export const tries = (attacks: Readonly<Record<string, string>>): string =>
  [
    'try() { if out=$(sh -c "$2" 2>&1 </dev/null); then code=0; else code=$?; fi',
    `printf '%s\\t%s\\t%s\\n' "$1" "$code" "$(printf %s "$out" | tr '\\n\\t' '  ' | cut -c1-300)" >> tries.txt; }`,
    ...Object.entries(attacks).map(([name, command]) => `try ${quoted(name)} ${quoted(command)}`),
  ].join('\n');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The tries as the attempt's snapshot has them: reachable from its ref, whatever became of the task. */
export function triesIn(state: StateDir, attempt: string): readonly Tried[] {
  return triedIn(inSnapshot(state, attempt, 'tries.txt').split('\n'));
}

export const triedIn = (lines: readonly string[]): readonly Tried[] =>
  lines.map((line) => {
    const [name = '', code, said = ''] = line.split('\t');
    return { name, code: Number(code), said };
  });

export const inSnapshot = (state: StateDir, attempt: string, path: string): string =>
  runOnly('git', ['--git-dir', state.repository, 'show', `${refs.attempt(attempt)}:${path}`], '/');

/**
 * Every try ran and was refused: none succeeded, none was missing its program or misspelt. `makesPlace` are those that write, or
 * first make the place that they write to: where the fence has a place of its own there, only a look at the host can tell.
 */
export function wayThrough(
  tried: readonly Tried[],
  attacks: Readonly<Record<string, string>>,
  makesPlace: readonly string[] = [],
): readonly Tried[] {
  const names = tried.map(({ name }) => name);
  const mayEndWell = isFar(farFromFence) ? [] : makesPlace;
  const missing = Object.keys(attacks).filter((name) => !names.includes(name));
  return [
    ...tried.filter(
      ({ name, code, said }) => (code === 0 && !mayEndWell.includes(name)) || code === 127 || /Syntax error/.test(said),
    ),
    ...missing.map((name) => ({ name, code: -1, said: 'was not tried' })),
  ];
}

/** Every path below a directory with its type, mode and content: equal fingerprints are equal bytes. */
export function fingerprint(root: string, isLeftOut: (path: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(join(root, path)).toSorted()) {
      const at = join(path, name);
      if (isLeftOut(at)) continue;
      const stats = lstatSync(join(root, at));
      const mode = stats.mode.toString(8);
      if (stats.isDirectory()) {
        found[at] = mode;
        visit(at);
      } else if (stats.isSymbolicLink()) found[at] = `${mode} ${readlinkSync(join(root, at))}`;
      else if (stats.isFile())
        found[at] = `${mode} ${createHash('sha256')
          .update(readFileSync(join(root, at)))
          .digest('hex')}`;
      else found[at] = mode;
    }
  };
  visit('');
  return found;
}

/**
 * Files below a directory that contain any of the texts; for secrets and markers that must be nowhere. What a process that is
 * just ending takes away meanwhile is not there.
 */
export function filesWith(root: string, texts: readonly string[]): readonly string[] {
  const found: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of unlessGone(() => readdirSync(directory, { withFileTypes: true })) ?? []) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) {
        const content = unlessGone(() => readFileSync(path));
        for (const text of texts) if (content?.includes(text)) found.push(`${path}: ${text}`);
      }
    }
  };
  visit(root);
  return found;
}

function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
