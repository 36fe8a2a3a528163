import { shellPath } from '../../base/safe-text.ts';
import type { ChangeRules, LinkFault, ScopeRules } from '../../findings/change-rules.ts';
import type { Finding, FindingOf, FindingsOf } from '../../findings/finding.ts';
import type { Steering } from '../../scope/steering.ts';
import type { Sentence, Sentences } from '../sentence.ts';
import { few } from '../text.ts';

export const changeSentences: Sentences<ChangeRules> = {
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
    detail: `${shownPath(spelled)} and ${shownPath(first)} differ only in case or normalisation`,
    fix: 'use one spelling',
  }),
  'ownership-conflict': ({ overlaps, more, role }) => {
    const { tasks, paths } = overlapTexts(overlaps, more);
    return {
      detail: `${tasks} could both write ${paths}`,
      fix:
        role === true
          ? 'narrow what the closure role owns: nothing else in its wave may change its paths'
          : 'make one need the other, narrow what they own, or list the path in `shares` of both',
    };
  },
  'role-owns': ({ task, pattern, fault }) => ({
    detail: `the closure role \`${task}\` must not own \`${pattern}\`${roleFaults[fault]}`,
    fix:
      fault === 'whole-tree'
        ? 'remove `owns` of `qa`'
        : 'name only the files that the role itself writes, such as `docs/**`',
  }),
  'plan-live': ({ run }) => ({
    detail: `this plan is already running as ${run}, and both runs will land`,
    fix: `if you do not want that: \`tidegate abandon ${run}\``,
  }),
  'owns-elsewhere': ({ task, run, other, path }) =>
    `\`${task}\` and ${run}/${other} may both write \`${path}\`; whichever lands second may conflict`,
  'owns-protected': ({ task, pattern, protected: path, wide }) =>
    wide === true
      ? {
          detail: `\`${task}\` owns \`${pattern}\`, but a wildcard does not include the protected \`${path}\``,
          fix: 'name each protected file in `owns` that the task may change',
        }
      : {
          detail: `\`${task}\` may write \`${pattern}\`, which includes the protected \`${path}\``,
          fix: 'narrow `owns`, or approve it if that is intended',
        },
  'nested-git': () => 'the workspace contains a repository, or a name that passes for one',
  'unfit-name': ({ fault }) =>
    fault === 'encoding' ? 'the name is not valid UTF-8' : 'the name contains a line break or NUL',
  unreadable: ({ kind }) =>
    kind === 'entry' ? 'the permissions of its directory deny access' : `the ${kind} cannot be read`,
  'too-deep': () => 'the path is too long to be checked out',
  'submodule-changed': ({ files }) =>
    files.length === 0
      ? 'tasks cannot add, remove or move submodules'
      : `tasks cannot change files in a submodule: ${few(files, 3)}`,
  'special-file': ({ kind }) => `git cannot store a ${kind}`,
  'too-large': ({ limit, bytes }) =>
    limit === 'file'
      ? `the file is larger than ${bytes} bytes`
      : `the new ${limit === 'total' ? '' : 'LFS '}files exceed ${bytes} bytes in total`,
  'known-value': (finding) =>
    finding.in === 'name'
      ? 'the name contains a secret, which every list of changes would show'
      : 'the added content contains a secret',
  'secret-shape': (finding) =>
    `the ${finding.in === 'name' ? 'name' : 'added content'} contains a secret (${finding.shape})`,
  'private-key': secret,
  'aws-access-key': secret,
  'github-token': secret,
  'anthropic-key': secret,
  'openai-key': secret,
  'slack-token': secret,
  'google-api-key': secret,
  'no-workspace': () => 'the workspace was never created',
  'workspace-moved': () => 'the workspace changed during the snapshot',
  'workspace-too-large': ({ entries }) => `the workspace has more than ${entries} files`,
  'too-many-refused': ({ most }) => `more than ${most} files cannot be part of a snapshot`,
  'snapshot-failed': ({ words }) => words,
};

/** Findings about a path that a task changed, or tried to change. */
type ChangeFinding = FindingsOf<
  Omit<
    ScopeRules,
    'role-owns' | 'two-spellings' | 'ownership-conflict' | 'owns-protected' | 'plan-live' | 'owns-elsewhere'
  >
>;

/** Returns true for changes that a person can grant or drop. */
export const isChange = (finding: Finding): finding is ChangeFinding => 'grantable' in finding;

/** Says why the task must not change a path, without the path itself. */
export function scopeProblem(finding: ChangeFinding): string {
  switch (finding.rule) {
    case 'read-only':
      return 'the task is read-only (`owns: []`)';
    case 'locked':
      return `\`${finding.by}\` has locked \`${finding.pattern}\``;
    case 'agent-config':
      return `it configures ${steered[finding.steers ?? 'agents']}; a task may change it only if \`owns\` or \`shares\` names it, or a person grants it`;
    case 'check-definition':
      return `${definitionText(finding)}; a task may change that only if \`owns\` or \`shares\` names the file, or a person grants it`;
    case 'out-of-scope':
      return finding.by === null
        ? 'the task does not own it'
        : `\`${finding.by}\` claims it with \`${finding.pattern}\``;
    case 'protected':
      return `it is protected by \`${finding.pattern}\``;
    case 'bad-path':
      return finding.fault === 'segments'
        ? 'is not a path inside the repository'
        : 'has a backslash or a control character in its name';
    case 'git-path':
      return 'is a name that git or a file system could read as `.git`';
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
  hooks: 'git hooks',
  ci: 'CI',
  git: 'git',
  tidegate: 'Tidegate',
};

function definitionText({ checks, roles = [], resolver, keys }: FindingOf<'check-definition'>): string {
  const subject = keys === undefined ? 'it' : keys.map((key) => `\`${key}\``).join(', ');
  const verb = keys === undefined || keys.length === 1 ? 'defines' : 'define';
  const defined = [named('check', checks), named('closure role', roles), resolver === true ? 'the resolver' : ''];
  return `${subject} ${verb} ${defined.filter((text) => text !== '').join(' and ')}`;
}

const named = (noun: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `the ${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;

const links: Readonly<Record<LinkFault, (target: string) => string>> = {
  empty: () => 'is a link without a target',
  absolute: (target) => `is a link to the absolute path ${target}`,
  unclear: (target) => `is a link with an ambiguous target: ${target}`,
  leaves: (target) => `is a link out of the repository: ${target}`,
  git: (target) => `is a link into git's own files: ${target}`,
};

/** A path that another task or nobody may change. */
function foreign(finding: ChangeFinding): Sentence {
  const { where: path = '', change } = finding;
  if (change === undefined) return refusedCall(finding);
  return { detail: `${change} ${shownPath(path)}: ${scopeProblem(finding)}`, fix: grantOrDrop(finding) };
}

/** Addresses the agent, before it has changed anything. */
function refusedCall(finding: ChangeFinding): Sentence {
  const { rule, where: path = '' } = finding;
  const detail = `\`${path}\` is out of your scope: ${scopeProblem(finding)}. Scratch files belong in /tmp`;
  return rule === 'read-only' ? { detail } : { detail, fix: `tidegate ask --scope ${shellPath(path)}` };
}

/** A path that no task may have. */
function unsafe(finding: ChangeFinding): Sentence {
  if (finding.change === undefined) return { detail: `\`${finding.where}\` ${scopeProblem(finding)}` };
  return { detail: `${shownPath(finding.where ?? '')} ${scopeProblem(finding)}`, fix: grantOrDrop(finding) };
}

function grantOrDrop({ task, where: path = '', grantable }: ChangeFinding): string {
  const drop = `tidegate drop ${task} ${shellPath(path)}`;
  return grantable ? `tidegate grant ${task} ${shellPath(path)}, or ${drop}` : drop;
}

const shownPath = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path));

function secret({ rule }: { readonly rule: string }): string {
  return `the added content contains a secret (${rule})`;
}

/** A single overlap names its patterns beside the tasks; of several, each path is followed by its two patterns. */
function overlapTexts(overlaps: readonly Overlap[], more: boolean): { readonly tasks: string; readonly paths: string } {
  const [first, ...others] = overlaps;
  if (first === undefined) return { tasks: 'two tasks', paths: 'the same path' };
  const [a, b] = first.claims;
  if (others.length > 0) {
    const paths = overlaps.map((one) => `${overlapPath(one)} (${one.claims.map(claimText).join(', ')})`);
    return { tasks: `\`${a.task}\` and \`${b.task}\``, paths: `${paths.join(', ')}${more ? ', and more' : ''}` };
  }
  const side = (claim: ClaimFact, place = '') => `\`${claim.task}\` (${claim.by} \`${claim.pattern}\`${place})`;
  // the place of the finding itself is that of the first claim
  return { tasks: `${side(a)} and ${side(b, placeText(b, ', '))}`, paths: overlapPath(first) };
}

const claimText = (claim: ClaimFact): string => `${claim.by} \`${claim.pattern}\`${placeText(claim, ' at ')}`;
const placeText = ({ at }: ClaimFact, before: string): string => (at === undefined ? '' : `${before}${at}`);
const overlapPath = ({ path, folded }: Overlap): string =>
  `\`${path}\`${folded ? ', on file systems that ignore case or normalisation' : ''}`;

const roleFaults: Readonly<Record<FindingOf<'role-owns'>['fault'], string>> = {
  everything: ': the other roles would judge an empty tree',
  protected: ', which is protected',
  'check-definition': ', which defines a check, a closure role or the resolver',
  'whole-tree': ': its report is about the whole tree, so it changes nothing',
};

type Overlap = FindingOf<'ownership-conflict'>['overlaps'][number];
type ClaimFact = Overlap['claims'][number];
