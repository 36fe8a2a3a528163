import { safeLine } from '../../domain/base/safe-text.ts';
import { mergeDefinitions } from '../../domain/check-definitions/definition.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import type { RunState } from '../../domain/run/run.ts';
import { grantPattern } from '../../domain/scope/claims.ts';
import { generatedPaths } from '../../domain/scope/generated.ts';
import { protectedConfig } from '../../domain/scope/ownership.ts';
import { intersect } from '../../domain/scope/pattern.ts';
import { type ScopeData, scopeDataOf } from '../../domain/scope/scope.ts';
import { agentConfigNames } from '../../domain/scope/steering.ts';
import { grantedIn } from '../../pipeline/step.ts';

/** What the task may change, as patterns. Other tasks are never named, only what is theirs. */
export function scopeSection(state: RunState, task: PlannedTask): string {
  const { plan } = state;
  const scope = scopeDataOf(plan, task, grantedIn(state));
  const blocks =
    scope.kind === 'read-only'
      ? [readOnly]
      : [
          ...writable(scope, task),
          listed('Rebuilt by commands later on, so that whatever you make of them is dropped:', generatedPaths(plan)),
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
  const granted = listed('People granted you these as well:', scope.granted);
  if (scope.kind === 'unclaimed')
    return [
      'Change only what this task is about.',
      listed('These are yours, and others have a part in them: change no more of them than you must:', task.shares),
      listed('Others build on these, and you write them first:', task.locks),
      granted,
      listed('Not yours to change:', claimedByOthers(scope)),
      listed('Locked, so read-only for you:', others),
      listed('Protected:', scope.protect),
    ];
  const own = [...scope.own, ...scope.granted].map(grantPattern);
  const meeting = others.filter((lock) => own.some((one) => intersect(grantPattern(lock), one) !== null));
  return [
    listed('You may change these paths, and no others:', task.owns ?? []),
    listed('Others have a part in these, too: change no more of them than you must:', task.shares),
    listed('Others build on these, and you write them first:', task.locks),
    granted,
    listed('Locked, so read-only for you even where a pattern above has them:', meeting),
  ];
}

/** What is shared with it is its own as well, and locks have a list of theirs. */
const claimedByOthers = ({ task, own, siblings, granting }: ScopeData): readonly string[] =>
  [...siblings, ...granting]
    .filter((claim) => claim.task !== task && claim.by !== 'locks' && !own.includes(claim.pattern))
    .map((claim) => claim.pattern);

const configuration = (names: readonly string[]): string =>
  names.length === 0 ? '' : `What steers agents and editors is read-only: ${names.map(code).join(', ')}.`;

/** By name, without the many names that a runner would take as well. */
function definitions({ checks }: FrozenPlan, { owns, shares, locks }: PlannedTask): string {
  const named = new Set([...(owns ?? []), ...shares, ...locks]);
  const all = mergeDefinitions(checks.flatMap((check) => check.definitions ?? []));
  const texts = all.flatMap(({ path, keys }) =>
    /[*?]/.test(path) || named.has(path) ? [] : `${code(path)}${keys === undefined ? '' : ` (${keys.join(', ')})`}`,
  );
  const more = texts.length > mostDefinitions ? ', and the configuration of what they run' : '';
  const list = texts.slice(0, mostDefinitions).join(', ');
  return texts.length === 0 ? '' : `What defines the checks is not yours to change: ${list}${more}.`;
}
const mostDefinitions = 12;

const closing = `Anything else is refused, however it is written: your work is then held instead of merged. If you cannot do without a
path, ask for it and go on with the rest: \`tidegate ask --scope <path>\`. Scratch files belong in /tmp.
In patterns \`*\` stands for characters of one segment, \`**\` for any number of segments, \`/\` at the end for all below.`;

const listed = (head: string, patterns: readonly string[]): string =>
  patterns.length === 0 ? '' : [head, ...[...new Set(patterns)].map((one) => `- ${safeLine(one)}`)].join('\n');
const code = (text: string): string => `\`${text}\``;
