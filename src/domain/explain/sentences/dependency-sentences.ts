import type { UnmetCause } from '../../dependencies/dependency.ts';
import type { DependencyRules } from '../../findings/dependency-rules.ts';
import type { Sentences } from '../sentence.ts';

export const dependencySentences: Sentences<DependencyRules> = {
  'dependency-open': ({ dependency, named, words, unmet, branch }) => ({
    detail: `dependency ${dependency}${branch === undefined ? '' : ` of the branch ${branch}`} on ${named} is open: ${words}${unmetText(named, unmet)}`,
    command: endDependencyCommand(dependency),
  }),
  'dependency-owed': ({ dependency, named, words, unmet }) => ({
    detail: `${named} depends on it (${dependency}): ${words}${unmetText(named, unmet)}`,
    command: endDependencyCommand(dependency),
  }),
  'round-dependency': ({ dependency }) => `dependency ${dependency} was added`,
  'dependency-on': () => ({
    detail: 'say what it depends on',
    fix: 'tidegate dep add <run> --on <run, run/task or branch> -m "what is needed"',
  }),
  'dependency-unknown': ({ named }) => ({
    detail: `there is no run, task or branch ${named}`,
    fix: 'list the runs: tidegate runs',
  }),
  'dependency-ambiguous': ({ named, open }) => `${named} fits several runs: ${open.join(', ')}`,
  'dependency-self': ({ run }) => ({
    detail: `${run} cannot depend on itself`,
    fix: 'to order its tasks, use `needs` in the plan',
  }),
  'dependency-known': ({ dependency, named }) => `it already depends on ${named} (${dependency})`,
  'dependency-met': ({ named, branch }) => `${named} has already landed on ${branch}`,
  'dependency-over': ({ run, outcome }) => `${run} has ended (${outcome}), so nothing of it can be waited for`,
  'dependency-task': ({ run, task }) => `${run}/${task} was dropped or has landed`,
  'dependency-cycle': ({ run, ring }) => ({
    detail: `the runs would wait for each other: ${[run, ...ring].join(' on ')}`,
    fix: 'add it with --optional, or cancel one of the others: tidegate dep list',
  }),
  'dependency-reason': () => 'say why: the reason is recorded',
  'no-such-dependency': ({ run, named, known }) =>
    known.length === 0 ? `${run} has no dependencies` : `${run} has no dependency ${named}; it has ${known.join(', ')}`,
  'dependency-settled': ({ dependency, status }) => `dependency ${dependency} is already ${status}`,
  'dependency-branch': ({ named }) => ({ detail: `there is no branch ${named}`, fix: 'list the branches: git branch' }),
  'dependency-same-branch': ({ branch }) => `the branch ${branch} cannot depend on itself`,
  'dependency-elsewhere': ({ dependency, run, branch }) => ({
    detail: `${dependency} is a dependency of ${branch === undefined ? run : `the branch ${branch}`}`,
    fix: endDependencyCommand(dependency),
  }),
};

export const endDependencyCommand = (dependency: string, end: 'resolve' | 'cancel' = 'resolve'): string =>
  `tidegate dep ${end} ${dependency} -m "your reason"`;

function unmetText(name: string, unmet: UnmetCause | undefined): string {
  if (unmet === undefined) return '';
  if (unmet === 'dropped') return `; ${name} was dropped`;
  return unmet === 'undone' ? `; the landing of ${name} was undone` : `; ${name} has ended (${unmet})`;
}
