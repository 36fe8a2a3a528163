import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCache } from '../files/state-file.ts';

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
  const parsed = readCache<unknown>(file, JSON.parse);
  return Array.isArray(parsed) ? parsed.filter((item): item is string => typeof item === 'string') : [];
}
