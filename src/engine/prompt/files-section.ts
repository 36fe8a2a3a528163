import { safeLine } from '../../domain/base/safe-text.ts';
import { sizeText } from '../../domain/kept/disk.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Attempt } from '../../domain/run/task.ts';
import { claimsOf } from '../../domain/scope/claims.ts';
import { matches, type Pattern, pattern } from '../../domain/scope/pattern.ts';
import { grantedIn } from '../../pipeline/step.ts';
import type { FoundFiles, GitReader } from '../../ports/merger.ts';
import { cutList, cutText, type List, type Section, wholeList } from './budget.ts';

/** `changed`: by earlier attempts. */
export type FilesInScope = FoundFiles & { readonly changed: ReadonlySet<string> };

const mostNamed = 60;

/** Of the commit that the workspace is made from: the same whenever it is asked for. */
export async function filesInScope(
  git: Pick<GitReader, 'files' | 'diff'>,
  state: RunState,
  task: PlannedTask,
  { base, from }: Pick<Attempt, 'base' | 'from'>,
): Promise<FilesInScope> {
  const patterns = patternsOf(state, task);
  const below = [...new Set(patterns.map(literalStart))];
  const isWanted = (path: string): boolean => patterns.some((one) => matches(one, path));
  const found = await git.files(from, { below, matches: isWanted, most: mostNamed });
  const diff = from === base ? [] : await git.diff(base, from);
  return { ...found, changed: new Set(diff.map(({ path }) => path)) };
}

/** What it may change by name; what it is to read, when it may change nothing. */
const patternsOf = (state: RunState, task: PlannedTask): readonly Pattern[] =>
  task.owns?.length === 0
    ? task.reads.map(pattern)
    : claimsOf(state.plan, task, grantedIn(state)).map((claim) => claim.pattern);

/** Whole segments before the first wildcard. */
function literalStart({ text, literal }: Pattern): string {
  if (literal) return text;
  const segments = text.split('/');
  const wild = segments.findIndex((segment) => /[*?]/.test(segment) || segment === '');
  return segments.slice(0, wild < 0 ? segments.length : wild).join('/');
}

export function filesSection(task: PlannedTask, found: FilesInScope): Section {
  const isRead = task.owns?.length === 0;
  if (found.total === 0) {
    const creates = (task.owns?.length ?? 0) > 0;
    const text = creates ? `${title(isRead)}\n\nThere is none yet: they are yours to create.` : '';
    return { text, cut: () => '' };
  }
  const count = found.total === 1 ? 'One file' : `${found.total} files`;
  const list: List = {
    head: `${title(isRead)}\n\n${count}, as the workspace has them at the start:`,
    items: found.files.map(({ path, bytes }) => {
      const state = found.changed.has(path) ? ', changed by an earlier attempt' : '';
      return `- ${cutText(safeLine(path), 200)} (${sizeText(bytes)}${state})`;
    }),
    foot: (left) => more(left + found.total - found.files.length),
  };
  return { text: wholeList(list), cut: (room) => cutList(list, room) };
}

const title = (isRead: boolean): string => (isRead ? '## Files to read' : '## Files in your scope');
const more = (left: number): string => (left === 0 ? '' : `- and ${left} more`);
