import { existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { EnvironmentFailed } from '../../ports/failures.ts';

/** One of our state files is garbled, unreadable or not a file. */
class StateFileDamaged extends EnvironmentFailed {
  override readonly name = 'StateFileDamaged';
  constructor(file: string, cause: unknown) {
    super({ rule: 'state-file', file, fault: faultOf((cause as NodeJS.ErrnoException).code) }, { cause });
  }
}

const faultOf = (code: unknown) =>
  code === 'EISDIR' ? 'directory' : typeof code === 'string' && code.startsWith('E') ? 'unreadable' : 'garbled';

/** Reads a state file, which is always written whole; null when there is none. */
export function readStateFile<T>(file: string, parse: (text: string) => T): T | null {
  const text = textOf(file);
  if (text === null) return null;
  try {
    return parse(text);
  } catch (cause) {
    throw new StateFileDamaged(file, cause);
  }
}

/** Reads a file that is only a cache: a damaged one counts as absent. */
export function readCache<T>(file: string, parse: (text: string) => T): T | null {
  try {
    return readStateFile(file, parse);
  } catch (error) {
    if (error instanceof StateFileDamaged) return null;
    throw error;
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StateFileDamaged(file, cause);
  }
}

/** The path, or something on the way to it, is not there. */
export const isAbsent = (error: unknown): boolean => hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => error.code === code);

/** For `catch`: returns null for a missing file and throws any other error again. */
export const absentAsNull = (error: unknown): null => {
  if (isAbsent(error)) return null;
  throw error;
};

export const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(absentAsNull)) !== null;

/** Returns the names in a directory. None when it is missing or is no directory. */
export const directoryNames = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(absentAsNull)) ?? [];

/** Calls `gone` once when a directory is missing twice in a row. */
export function watchPresence(directory: string, gone: () => void): Disposable {
  let missed = 0;
  const timer = setInterval(() => {
    missed = existsSync(directory) ? 0 : missed + 1;
    if (missed !== 2) return;
    clearInterval(timer);
    gone();
  }, 10_000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
