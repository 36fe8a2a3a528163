import { expect, test } from 'vitest';
import { isGitName } from './walk.ts';

test.each([
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  'GIT~1',
  '.git ',
  '.git.',
  '.git. .',
  '.g\u200cit',
  '.git::$INDEX_ALLOCATION',
  'x\\.git',
])('%j passes for .git somewhere', (name) => expect(isGitName(name)).toBe(true));

test.each(['.gitignore', '.github', 'git', 'git~2', '.gitx', 'a.git', '.git-x'])('%j does not', (name) =>
  expect(isGitName(name)).toBe(false),
);
