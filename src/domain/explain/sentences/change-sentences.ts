import { shellPath } from '../../base/shell-word.ts';
import type { LinkFault, ScopeRules, SnapshotRules } from '../../findings/change-rules.ts';
import type { Finding, FindingOf, FindingsOf } from '../../findings/finding.ts';
import type { Steering } from '../../scope/steering.ts';
import type { Sentence, Sentences } from '../sentence.ts';
import { few } from '../text.ts';

/** Findings about a path that a task changed, or wanted to. */
export type ChangeFinding = FindingsOf<
  Omit<ScopeRules, 'two-spellings' | 'ownership-conflict' | 'owns-protected' | 'plan-live' | 'owns-elsewhere'>
>;

/** Only these name a change that a person may grant or drop. */
export const isChange = (finding: Finding): finding is ChangeFinding => 'grantable' in finding;

/** Why a path is not the task's to change, without the path. */
export function whyNot(finding: ChangeFinding): string {
  switch (finding.rule) {
    case 'read-only':
      return 'the task is read-only (`owns: []`)';
    case 'locked':
      return `\`${finding.by}\` has locked \`${finding.pattern}\``;
    case 'agent-config':
      return `it steers ${steered[finding.steers ?? 'agents']}; a task may change it only if its \`owns\` or \`shares\` names it, or a person grants it`;
    case 'check-definition':
      return `${definitionText(finding)}; a task may change that only if its \`owns\` or \`shares\` names the file, or a person grants it`;
    case 'out-of-scope':
      return finding.by === null ? 'the task does not own it' : `\`${finding.by}\` claims it by \`${finding.pattern}\``;
    case 'protected':
      return `it is protected by \`${finding.pattern}\``;
    case 'bad-path':
      return finding.fault === 'segments'
        ? 'is not a path inside the repository'
        : 'has a backslash or a control character in its name';
    case 'git-path':
      return 'is a name that git or a file system takes for `.git`';
    case 'reserved-path':
      return 'imitates `.tidegate/`';
    case 'nested-repository':
      return 'is a nested repository';
    case 'bad-mode':
      return `has mode ${finding.mode}`;
    case 'link-leaves':
      return links[finding.fault](finding.target);
  }
}

const steered: Readonly<Record<Steering, string>> = {
  agents: 'agents',
  editors: 'editors',
  hooks: 'hooks of git',
  ci: 'CI',
  git: 'git',
  tidegate: 'Tidegate',
};

function definitionText({ checks, keys }: FindingOf<'check-definition'>): string {
  const what = keys === undefined ? 'it' : keys.map((key) => `\`${key}\``).join(', ');
  const verb = keys === undefined || keys.length === 1 ? 'defines' : 'define';
  return `${what} ${verb} the check${checks.length === 1 ? '' : 's'} ${checks.join(', ')}`;
}

const links: Readonly<Record<LinkFault, (target: string) => string>> = {
  empty: () => 'is a link without a target',
  absolute: (target) => `is a link to the absolute path ${target}`,
  unclear: (target) => `is a link whose target cannot be told: ${target}`,
  leaves: (target) => `is a link that leaves the repository: ${target}`,
  git: (target) => `is a link into git's own files: ${target}`,
};

/** Not this task's to change. */
function foreign(finding: ChangeFinding): Sentence {
  const { where: path = '', change } = finding;
  if (change === undefined) return refusedCall(finding);
  return { detail: `${change} ${shownPath(path)}: ${whyNot(finding)}`, fix: waysOut(finding) };
}

/** To the agent, before it has changed anything. */
function refusedCall(finding: ChangeFinding): Sentence {
  const { rule, where: path = '' } = finding;
  const detail = `\`${path}\` is out of your scope: ${whyNot(finding)}. Scratch files belong in /tmp`;
  return rule === 'read-only' ? { detail } : { detail, fix: `tidegate ask --scope ${shellPath(path)}` };
}

/** Nobody's to change. */
function unsafe(finding: ChangeFinding): Sentence {
  if (finding.change === undefined) return { detail: `\`${finding.where}\` ${whyNot(finding)}` };
  return { detail: `${shownPath(finding.where ?? '')} ${whyNot(finding)}`, fix: waysOut(finding) };
}

function waysOut({ task, where: path = '', grantable }: ChangeFinding): string {
  const drop = `tidegate drop ${task} ${shellPath(path)}`;
  return grantable ? `tidegate grant ${task} ${shellPath(path)}, or ${drop}` : drop;
}

const shownPath = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path));

/** One overlap has its patterns with the tasks. Of several each has its path, and the two patterns that meet there. */
function overlapTexts(overlaps: readonly Overlap[], more: boolean): { readonly tasks: string; readonly paths: string } {
  const [first, ...others] = overlaps;
  if (first === undefined) return { tasks: 'two tasks', paths: 'the same path' };
  const [a, b] = first.claims;
  if (others.length > 0) {
    const paths = overlaps.map((one) => `${overlapPath(one)} (${one.claims.map(claimText).join(', ')})`);
    return { tasks: `\`${a.task}\` and \`${b.task}\``, paths: `${paths.join(', ')}${more ? ', and more' : ''}` };
  }
  const side = (claim: ClaimFact, place = '') => `\`${claim.task}\` (${claim.by} \`${claim.pattern}\`${place})`;
  // the finding itself stands at the first claim
  return { tasks: `${side(a)} and ${side(b, placeText(b, ', '))}`, paths: overlapPath(first) };
}

const claimText = (claim: ClaimFact): string => `${claim.by} \`${claim.pattern}\`${placeText(claim, ' at ')}`;
const placeText = ({ at }: ClaimFact, before: string): string => (at === undefined ? '' : `${before}${at}`);
const overlapPath = ({ path, folded }: Overlap): string =>
  `\`${path}\`${folded ? ', on file systems that ignore case or normalisation' : ''}`;

type Overlap = FindingOf<'ownership-conflict'>['overlaps'][number];
type ClaimFact = Overlap['claims'][number];

export const scopeSentences: Sentences<ScopeRules> = {
  'read-only': foreign,
  locked: foreign,
  'agent-config': foreign,
  'check-definition': foreign,
  'out-of-scope': foreign,
  protected: foreign,
  'bad-path': unsafe,
  'git-path': unsafe,
  'reserved-path': unsafe,
  'nested-repository': unsafe,
  'bad-mode': unsafe,
  'link-leaves': unsafe,
  'two-spellings': ({ spelled, first }) => ({
    detail: `${shownPath(spelled)} and ${shownPath(first)} differ only by case or normalisation`,
    fix: 'use one spelling',
  }),
  'ownership-conflict': ({ overlaps, more }) => {
    const { tasks, paths } = overlapTexts(overlaps, more);
    return {
      detail: `${tasks} could both write ${paths}`,
      fix: 'let one need the other, narrow what they own, or list the path in `shares` of both',
    };
  },
  'plan-live': ({ run }) => ({
    detail: `this plan is live already as ${run}; both will try to land`,
    fix: `if that is not what you want: \`tidegate abandon ${run}\``,
  }),
  'owns-elsewhere': ({ task, run, other, path }) =>
    `\`${task}\` may write \`${path}\`, and so may ${run}/${other}; the one that lands second has to fit`,
  'owns-protected': ({ task, pattern, protected: met, wide }) =>
    wide === true
      ? {
          detail: `\`${task}\` owns \`${pattern}\`, but a wildcard does not open the protected \`${met}\``,
          fix: 'name in `owns` each file there that it is to change',
        }
      : {
          detail: `\`${task}\` may write \`${pattern}\`, which covers the protected \`${met}\``,
          fix: 'narrow `owns`, or approve it if that is meant',
        },
};

const secret = ({ rule }: { readonly rule: string }) => `a secret in added content (${rule})`;

export const snapshotSentences: Sentences<SnapshotRules> = {
  'nested-git': () => 'a repository, or a name that passes for one, in the workspace',
  'unfit-name': ({ fault }) =>
    fault === 'encoding' ? 'the name is not valid UTF-8' : 'a line break or NUL in the name',
  unreadable: ({ kind }) =>
    kind === 'entry' ? 'the directory does not let anyone look at it' : `the ${kind} cannot be read`,
  'too-deep': () => 'the path is too long to be checked out anywhere',
  'submodule-changed': ({ files }) =>
    files.length === 0
      ? 'tasks cannot change which submodules there are'
      : `tasks cannot change what is in a submodule: ${few(files, 3)}`,
  'special-file': ({ kind }) => `a ${kind} cannot be kept in git`,
  'too-large': ({ limit, bytes }) =>
    limit === 'file'
      ? `larger than ${bytes} bytes`
      : `more than ${bytes} new bytes${limit === 'total' ? '' : ' for LFS'} in all`,
  'known-value': (finding) =>
    finding.in === 'name' ? 'a secret in the name: it would be in every list of changes' : 'a secret in added content',
  'secret-shape': (finding) =>
    finding.in === 'name' ? `a secret in the name (${finding.shape})` : `a secret in added content (${finding.shape})`,
  'private-key': secret,
  'aws-access-key': secret,
  'github-token': secret,
  'anthropic-key': secret,
  'openai-key': secret,
  'slack-token': secret,
  'google-api-key': secret,
  'no-workspace': () => 'the workspace had not been made',
  'workspace-moved': () => 'it changed during the snapshot',
  'workspace-too-large': ({ entries }) => `more than ${entries} files in the workspace`,
  'too-many-refused': ({ most }) => `more than ${most} files that no snapshot can hold`,
  'snapshot-failed': ({ words }) => words,
};
