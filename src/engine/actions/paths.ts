import { parsePattern } from '../../domain/scope/pattern.ts';
import type { Misuse } from './action.ts';

/** Returns the first path that is no pattern inside the repository; null if all are. */
export function badPath(paths: readonly string[]): Misuse | null {
  for (const [at, path] of paths.entries()) {
    const parsed = parsePattern(path);
    if (!parsed.ok)
      return {
        reason: 'bad-path',
        because: { rule: 'bad-pattern', pattern: path, fault: parsed.error },
        field: `paths[${at}]`,
      };
  }
  return null;
}
