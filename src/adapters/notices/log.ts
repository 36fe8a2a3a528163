import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent } from '../state-directory/absent.ts';

/** A line for the person who wonders why they were not told. */
export function keepLine(stateDirectory: string, line: string): void {
  try {
    appendFileSync(join(stateDirectory, 'notices.log'), `${line}\n`, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Items that were told; a broken memory is an empty one. */
export function readItems(file: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(parsed) ? parsed.filter((item): item is string => typeof item === 'string') : [];
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return [];
    throw error;
  }
}
