import { safeLine } from '../../domain/base/safe-text.ts';
import { mergeDefinitions } from '../../domain/check-definitions/definition.ts';
import { sizeText } from '../../domain/kept/disk.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Attempt } from '../../domain/run/task.ts';
import { claimsOf, grantPattern } from '../../domain/scope/claims.ts';
import { generatedPaths } from '../../domain/scope/generated.ts';
import { protectedConfig } from '../../domain/scope/ownership.ts';
import { intersect, matches, type Pattern, pattern } from '../../domain/scope/pattern.ts';
import { type ScopeData, scopeDataOf } from '../../domain/scope/scope.ts';
import { agentConfigNames } from '../../domain/scope/steering.ts';
import { grantedIn } from '../../pipeline/step.ts';
import type { FoundFiles, GitReader } from '../../ports/merger.ts';
import { cutText, type Section, sectionOf } from './budget.ts';

/** Lists the patterns that the task may change. Other tasks are never named, only their patterns. */
export function scopeSection(state: RunState, task: PlannedTask): string {
  const { plan } = state;
  const scope = scopeDataOf(plan, task, grantedIn(state));
  const blocks =
    scope.kind === 'read-only'
      ? [readOnly]
      : [
          ...writable(scope, task),
          listed('Rebuilt by commands later, so your changes to them are discarded:', generatedPaths(plan)),
          configuration(
            protectedConfig(plan, task, grantedIn(state)).filter((name) => agentConfigNames.includes(name)),
          ),
          definitions(plan, task),
          closing,
        ];
  return ['## Your scope', ...blocks.filter((block) => block !== '')].join('\n\n');
}

const readOnly = 'This task is read-only: change no file. Your handoff is the result.';

function writable(scope: ScopeData, task: PlannedTask): readonly string[] {
  const others = scope.locks.filter((lock) => lock.task !== task.id).map((lock) => lock.pattern);
  const granted = listed('A person also granted you these:', scope.granted);
  if (scope.kind === 'unclaimed')
    return [
      'Change only what this task is about.',
      listed('You share these with other tasks, so change as little of them as possible:', task.shares),
      listed('Other tasks build on these, and you write them first:', task.locks),
      granted,
      listed('Not yours to change:', claimedByOthers(scope)),
      listed('Locked, so read-only for you:', others),
      listed('Protected:', scope.protect),
    ];
  const own = [...scope.own, ...scope.granted].map(grantPattern);
  const meeting = others.filter((lock) => own.some((one) => intersect(grantPattern(lock), one) !== null));
  return [
    listed('You may change these paths, and no others:', task.owns ?? []),
    listed('You share these with other tasks, so change as little of them as possible:', task.shares),
    listed('Other tasks build on these, and you write them first:', task.locks),
    granted,
    listed('Locked, so read-only for you even where a pattern above matches them:', meeting),
  ];
}

/** Without shared patterns, which are its own as well, and without locks, which have a list of their own. */
const claimedByOthers = ({ task, own, siblings, granting }: ScopeData): readonly string[] =>
  [...siblings, ...granting]
    .filter((claim) => claim.task !== task && claim.by !== 'locks' && !own.includes(claim.pattern))
    .map((claim) => claim.pattern);

const configuration = (names: readonly string[]): string =>
  names.length === 0 ? '' : `Configuration of agents and editors is read-only: ${names.map(code).join(', ')}.`;

/** Lists definitions of checks by name, without patterns. */
function definitions({ checks }: FrozenPlan, { owns, shares, locks }: PlannedTask): string {
  const named = new Set([...(owns ?? []), ...shares, ...locks]);
  const all = mergeDefinitions(checks.flatMap((check) => check.definitions ?? []));
  const texts = all.flatMap(({ path, keys }) =>
    /[*?]/.test(path) || named.has(path) ? [] : `${code(path)}${keys === undefined ? '' : ` (${keys.join(', ')})`}`,
  );
  const more = texts.length > mostDefinitions ? ', and the configuration of the programs they run' : '';
  const list = texts.slice(0, mostDefinitions).join(', ');
  return texts.length === 0 ? '' : `Do not change the definitions of the checks: ${list}${more}.`;
}
const mostDefinitions = 12;

const closing = `A change to any other path is refused, however it is made: your work is then held instead of merged. If you need another
path, request it and continue with the rest: \`tidegate ask --scope <path>\`. Put scratch files in /tmp.
In patterns \`*\` matches characters of one segment, \`**\` any number of segments, and a final \`/\` everything below.`;

const listed = (head: string, patterns: readonly string[]): string =>
  patterns.length === 0 ? '' : [head, ...[...new Set(patterns)].map((one) => `- ${safeLine(one)}`)].join('\n');
const code = (text: string): string => `\`${text}\``;

/** `changed` holds the paths that earlier attempts changed. */
export type FilesInScope = FoundFiles & { readonly changed: ReadonlySet<string> };

const mostNamed = 60;

/** Reads the commit that the workspace is made from, so the answer never changes. */
export async function filesInScope(
  git: Pick<GitReader, 'files' | 'diff'>,
  state: RunState,
  task: PlannedTask,
  { base, from }: Pick<Attempt, 'base' | 'from'>,
): Promise<FilesInScope> {
  const patterns = patternsOf(state, task);
  const below = [...new Set(patterns.map(literalStart))];
  const isInScope = (path: string): boolean => patterns.some((one) => matches(one, path));
  const files = await git.files(from, { below, matches: isInScope, most: mostNamed });
  const diff = from === base ? [] : await git.diff(base, from);
  return { ...files, changed: new Set(diff.map(({ path }) => path)) };
}

/** The patterns that the task may change; for a read-only task, those that it reads. */
const patternsOf = (state: RunState, task: PlannedTask): readonly Pattern[] =>
  task.owns?.length === 0
    ? task.reads.map(pattern)
    : claimsOf(state.plan, task, grantedIn(state)).map((claim) => claim.pattern);

/** Returns the whole segments before the first wildcard. */
function literalStart({ text, literal }: Pattern): string {
  if (literal) return text;
  const segments = text.split('/');
  const wild = segments.findIndex((segment) => /[*?]/.test(segment) || segment === '');
  return segments.slice(0, wild < 0 ? segments.length : wild).join('/');
}

export function filesSection(task: PlannedTask, scope: FilesInScope): Section {
  const isRead = task.owns?.length === 0;
  if (scope.total === 0) {
    const creates = (task.owns?.length ?? 0) > 0;
    const text = creates ? `${title(isRead)}\n\nThere are none yet: create them.` : '';
    return { text, cut: () => '' };
  }
  const count = scope.total === 1 ? 'One file' : `${scope.total} files`;
  return sectionOf({
    head: `${title(isRead)}\n\n${count}, as they are in the workspace at the start:`,
    items: scope.files.map(({ path, bytes }) => {
      const state = scope.changed.has(path) ? ', changed by an earlier attempt' : '';
      return `- ${cutText(safeLine(path), 200)} (${sizeText(bytes)}${state})`;
    }),
    foot: (left) => more(left + scope.total - scope.files.length),
  });
}

const title = (isRead: boolean): string => (isRead ? '## Files to read' : '## Files in your scope');
const more = (left: number): string => (left === 0 ? '' : `- and ${left} more`);

/** Lists skills by path, so that agents without support for skills can read them. */
export function skillsSection({ skills = [] }: PlannedTask): Section {
  if (skills.length === 0) return { text: '' };
  return sectionOf({
    head: '## Skills\n\nThese files say how such work is done in this project. Read these files first, and follow them:',
    items: skills.map(({ path, description }) => {
      const about = description === '' ? '' : `: ${cutText(safeLine(description), 300)}`;
      return `- \`${safeLine(path)}\`${about}`;
    }),
    foot: (left) => (left === 0 ? '' : `- and ${left} more next to them`),
  });
}
