import type { FindingOf } from '../../src/domain/findings/finding.ts';

/** Some failure of the environment, with these words. */
export const failure = (words: string): FindingOf<'system'> => ({
  rule: 'system',
  code: 'EIO',
  syscall: 'write',
  words,
});
