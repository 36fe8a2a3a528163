import type { DiffEntry } from './evidence.ts';
import { foldPath } from './path-fold.ts';

/** Where agents and editors take instructions and commands from: code that runs without having been called. */
export const agentConfigNames: readonly string[] = [
  '.claude',
  '.codex',
  '.opencode',
  '.mcp.json',
  '.vscode',
  '.husky',
  '.cursor',
  '.gemini',
  'AGENTS.md',
  'CLAUDE.md',
];
const agentConfig: readonly string[] = agentConfigNames.map(foldPath);

/** The segment of a path that makes it agent configuration, at any depth. */
export const agentConfigIn = (path: string): string | null =>
  foldPath(path)
    .split('/')
    .find((segment) => agentConfig.includes(segment)) ?? null;

/** Why a changed path must not be taken whoever owns it; null when there is no reason. */
export function unsafePath({ path, newMode, change, linkTarget }: DiffEntry): { rule: string; why: string } | null {
  const name = unsafeName(path);
  if (name !== null || change === 'deleted') return name;
  if (newMode === '160000') return { rule: 'nested-repository', why: 'is a nested repository' };
  if (!['100644', '100755', '120000'].includes(newMode)) return { rule: 'bad-mode', why: `has mode ${newMode}` };
  if (newMode === '120000' && linkTarget !== undefined) {
    const why = linkProblem(path, linkTarget);
    if (why !== null) return { rule: 'link-leaves', why };
  }
  return null;
}

/** The same for the name alone, before there is anything under it. */
export function unsafeName(path: string): { rule: string; why: string } | null {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return { rule: 'bad-path', why: 'is not a path inside the repository' };
  if (segments.some(isGitName))
    return { rule: 'git-path', why: 'is a name that git or a file system takes for `.git`' };
  if (foldPath(segments[0] ?? '') === '.tidegate') return { rule: 'reserved-path', why: 'imitates `.tidegate/`' };
  if (path.includes('\\') || [...path].some((character) => character < ' ' || character === '\u007f'))
    return { rule: 'bad-path', why: 'has a backslash or a control character in its name' };
  return null;
}

/**
 * Judged by spelling alone. `..` after a name is refused: the name may be a link itself, and then no one can
 * tell from the spelling where `..` leads.
 */
function linkProblem(path: string, target: string): string | null {
  if (target === '' || target.includes('\0')) return 'is a link without a target';
  if (target.startsWith('/')) return `is a link to the absolute path ${target}`;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const up = steps.findIndex((step) => step !== '..');
  const ups = up < 0 ? steps.length : up;
  if (steps.slice(ups).includes('..')) return `is a link whose target cannot be told: ${target}`;
  if (ups > path.split('/').length - 1) return `is a link that leaves the repository: ${target}`;
  if (steps.some(isGitName)) return `is a link into git's own files: ${target}`;
  return null;
}

/** `.git` in any case, with ignorable characters, trailing dots and blanks, streams, or as its NTFS short name. */
function isGitName(segment: string): boolean {
  const name = foldPath(segment)
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return name === '.git' || /^git~[0-9]+$/.test(name);
}
