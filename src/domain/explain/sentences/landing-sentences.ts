import { shellPath, shellWord } from '../../base/safe-text.ts';
import { checkBarrier } from '../../checks/open-checks.ts';
import type { Finding, FindingOf } from '../../findings/finding.ts';
import type { LandingRules } from '../../findings/landing-rules.ts';
import { changersIn, changesBy, type DefinitionDispute } from '../../landing/earlier-definitions.ts';
import type { ForeignCommit } from '../../ledger/landing-events.ts';
import { unclearText, worseText } from '../check-text.ts';
import { answerQuestion, checkLog, settleRecord, undoAgain } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few, withWords } from '../text.ts';

/** `fix` is to be done before the landing or the undo is requested again. */
export const landingSentences: Sentences<LandingRules> = {
  'dirty-checkout': (finding) => ({
    detail: overwrites('landing', finding),
    fix: `commit or stash them (git -C ${shellWord(finding.worktree)} stash)`,
  }),
  'untracked-files': (finding) => ({
    detail: overwrites('landing', finding),
    fix: `move ${finding.files.length === 1 ? 'it' : 'them'}`,
  }),
  'operation-unfinished': ({ worktree, operation }) => ({
    detail: `a ${operation} is in progress in ${worktree}`,
    fix: `finish it there (git ${operation.split(' ')[0]} --continue) or cancel it (--abort)`,
  }),
  'submodules-move': (finding) => ({
    detail: overwrites('landing', finding),
    fix: 'update the submodules by hand',
  }),
  'lfs-unusable': ({ files }) => ({
    detail: `your git configuration requires git-lfs (filter.lfs.required), which cannot be run${named(files)}`,
    fix: 'install git-lfs',
  }),
  'git-locked': ({ files }) => ({
    detail: `another git command is running in your repository, or was killed there${named(files)}`,
    fix: 'wait until no git command runs, then remove the lock files',
  }),
  'not-a-branch': ({ ref }) => ({ detail: `${ref} is not a branch`, fix: 'land on a branch' }),
  'several-worktrees': ({ ref, worktrees }) => ({
    detail: `${ref} is checked out in several working trees: ${worktrees.join(', ')}`,
    fix: 'check out another branch in all but one of them',
  }),
  'worktree-missing': ({ ref, worktree }) => ({
    detail: `${ref} is checked out in ${worktree}, which does not exist`,
    fix: 'git worktree prune, or restore the directory',
  }),
  'branch-checked-out': ({ ref, worktree }) => ({
    detail: `${ref} is checked out in ${worktree}`,
    fix: 'check out another branch there',
  }),
  'files-refused': ({ words }) => `git cannot update the files: ${words}`,
  'branch-moved': ({ ref, expected, actual }) =>
    `somebody moved ${ref}: it is at ${actual ?? 'nothing'} instead of ${expected ?? 'nothing'}`,
  'branch-gone': ({ branch }) => ({ detail: `the branch ${branch} no longer exists`, fix: 'restore the branch' }),
  'landing-cut-off': (finding) => ({
    detail: `a landing of ${finding.run} was interrupted (${finding.old} to ${finding.new}) and cannot be completed: ${interruption(finding)}`,
    fix: `inspect ${finding.worktree ?? finding.ref}; when ${finding.ref} and its files are correct, remove landing.json from the state directory`,
  }),
  'none-merged': () => ({ detail: 'no task is merged yet', fix: askWhy }),
  'landing-unapproved': () => ({ detail: 'nobody approved the landing', fix: askWhy }),
  'plan-unapproved': () => ({ detail: 'nobody approved this plan', fix: askWhy }),
  'landing-unbuilt': ({ tasks }) => ({ detail: `no commits were built for ${tasks.join(', ')} alone`, fix: askWhy }),
  'landing-outdated': () => 'the run changed while it was landing',
  'landing-diverged': ({ commit, expected, actual }) => ({
    detail: `diverged: ${commit} has ${actual} commits instead of ${expected}`,
    fix: askWhy,
  }),
  'landing-unchecked': ({ branch, checks }) => ({
    detail: `these checks have not passed on the new ${branch}: ${checks.join(', ')}`,
    fix: askWhy,
  }),
  'landing-not-ahead': ({ branch }) => ({
    detail: `${branch} has moved since the run started, so the run must be rebuilt first`,
    fix: askWhy,
  }),
  'landing-busy': ({ branch, tries }) => ({
    detail: `${branch} moved ${tries} times while the checks ran`,
    fix: `wait until nobody is pushing to ${branch}`,
  }),
  'landing-conflicts': ({ run, branch, tasks, files, task, against = [], uncommitted }) => ({
    detail: `${
      uncommitted === true
        ? `the run was built on your uncommitted changes and conflicts with ${branch} without them`
        : tasks === null
          ? `${task ?? 'the run'} conflicts with new commits on ${branch}${against.length === 0 ? '' : ` (${against.map(commitName).join(', ')})`}`
          : `${tasks.join(', ')} cannot land alone: the other tasks, or new commits on ${branch}, change the same lines`
    }${named(files)}`,
    fix: uncommitted === true ? commitFirst : `tidegate edit ${run}`,
  }),
  'landing-check': (finding) => {
    const { run, branch, check, defined } = finding;
    if (defined === undefined) return landingCheckFails(finding);
    const paths = defined.changes.map(({ path }) => path);
    return {
      detail: `the check ${check} passes with the run's definition but fails with the one on ${branch}`,
      fix: [`review the change to ${few(paths, 3)} and grant it:`, ...grantCommands(run, defined)].join('\n'),
    };
  },
  'landing-question': ({ run, record, branch, kind = 'question' }) => ({
    detail: `${kind} ${record} is open: nothing lands on ${branch} until it is ${kind === 'question' ? 'answered' : 'settled'}`,
    command: kind === 'contradiction' ? settleRecord(run, record) : answerQuestion(run, record),
  }),
  'landing-role': ({ run, branch, task, because }, explain) => ({
    detail: `${branch} has moved, and ${task} does not let the work land on it${because === undefined ? '' : `: ${explain(because).detail}`}`,
    fix: `tidegate retry ${run}/${task} before the run ends, or tidegate resolve ${run}/${task} -m "reason"; then tidegate land ${run}`,
  }),
  'need-left-out': ({ task, need }) => ({ detail: `${task} needs ${need}, which is left out`, fix: askWhy }),
  'generated-left-out': ({ task }) => ({
    detail: `the generated files were rebuilt with ${task}, which is left out`,
    fix: askWhy,
  }),
  'history-unrelated': ({ branch }) =>
    `${branch} has an unrelated history: it shares no commit with the base of the run`,
  'undo-refused': ({ run, task, because }, explain) => ({
    command: undoAgain(run, task),
    ...explain(because),
    ...(isOverwrite(because) ? { detail: overwrites('the undo', because) } : {}),
  }),
  'undo-busy': ({ branch, tries, reverts }) => ({
    detail: `${branch} moved ${tries} times while the checks ran; to revert by hand: git revert ${reverts.join(' ')}`,
    fix: `wait until nobody is pushing to ${branch}`,
  }),
  'undo-check': ({ run, task, branch, check, reverts }) => ({
    detail: `without ${task === null ? run : `${run}/${task}`}, the check ${check} fails on ${branch}; to revert anyway: git revert ${reverts.join(' ')}`,
    fix: `fix ${branch} (output of the check: ${checkLog(run, check)})`,
  }),
  'undo-diverged': ({ commit }) => ({
    detail: `diverged: ${commit} is not the prepared commit`,
    fix: 'tidegate verify',
  }),
  'no-landed-commit': ({ task }) => ({ detail: `${task ?? 'the run'} has no landed commit`, fix: 'tidegate status' }),
  'landing-lost': ({ branch }) => ({
    detail: `${branch} no longer contains the landed commits`,
    fix: `inspect it (git log ${branch})`,
  }),
  'branch-moved-on': ({ branch }) => ({ detail: `${branch} has new commits`, command: `git branch -D ${branch}` }),
  'built-upon': ({ commit, words, files }) => ({
    detail: `later commits build on ${words}, so it cannot be reverted alone${named(files)}`,
    fix: 'revert it by hand',
    command: `git revert ${commit}`,
  }),
  'commit-without-parent': ({ commit }) => `${commit} has no parent`,
  'no-remote': ({ branch, remotes }) => ({
    detail: `${branch} has no remote to push to`,
    fix:
      remotes.length === 0
        ? 'git remote add origin <address>'
        : `git config ${shellWord(`branch.${branch}.remote`)} ${shellWord(remotes[0] ?? 'origin')}`,
  }),
  'push-failed': ({ remote, branch, fault, words }) => ({
    detail: withWords(`pushing ${branch} to ${remote} ${fault === 'timeout' ? 'timed out' : 'failed'}`, words),
    fix: `make this work: git push ${shellWord(remote)} ${shellWord(branch)}`,
  }),
  'pull-request-failed': ({ opener, remote, branch, fault, words }) => ({
    detail: withWords(`${branch} is pushed to ${remote}, but ${opener} ${requestFaults[fault]}`, words),
    ...(fault === 'login' ? { fix: `${opener} auth login` } : {}),
  }),
  'pull-request-open': ({ url }) => ({
    detail: `the pull request is already open: ${url}`,
    fix: 'merge it there, then pull',
  }),
  'undo-pull-request': ({ branch, url }) => ({
    detail: 'the run has a pull request, so Tidegate does not change your branch',
    fix: url === null ? `close or revert the pull request of ${branch}` : `close or revert it at ${url}`,
  }),
};

type Overwrite = FindingOf<'dirty-checkout' | 'untracked-files' | 'submodules-move'>;
const isOverwrite = (finding: Finding): finding is Overwrite =>
  ['dirty-checkout', 'untracked-files', 'submodules-move'].includes(finding.rule);

function overwrites(action: 'landing' | 'the undo', finding: Overwrite): string {
  const { rule, files } = finding;
  if (rule === 'submodules-move') return `${action} would have to move submodules${named(files)}`;
  const lost =
    rule === 'dirty-checkout' ? 'uncommitted changes' : files.length === 1 ? 'an untracked file' : 'untracked files';
  return `${action} would overwrite ${lost} in ${finding.worktree}${named(files)}`;
}

const askWhy = 'tidegate why';

/** The changes that a run with `--with-uncommitted` was built on land only as the person's own commit. */
const commitFirst = 'commit the changes that the run was built on';

function landingCheckFails({ run, branch, tasks, check, uncommitted, worse, unclear }: FindingOf<'landing-check'>) {
  if (unclear !== undefined)
    return {
      detail: `the check ${check} cannot be compared with ${branch}: ${unclearText(unclear)}`,
      fix: `tidegate resolve ${run}/${checkBarrier(check)} -m "reason", then tidegate land ${run}`,
    };
  if (uncommitted === true)
    return { detail: `the check ${check} fails on ${branch} without your uncommitted changes`, fix: commitFirst };
  return tasks === null
    ? {
        detail: `the check ${check} fails on top of the new ${branch}${worseText(worse)}`,
        fix: `fix ${branch} so that the check passes, and commit`,
      }
    : {
        detail: `the check ${check} fails on ${branch} with only ${tasks.join(', ')}${worseText(worse)}`,
        fix: `choose other tasks, or land all of them (tidegate land ${run})`,
      };
}

const named = (files: readonly string[]): string => (files.length === 0 ? '' : `: ${few(files, 5)}`);

/** Returns one command per task that changed a definition, because a path may belong to another task. */
const grantCommands = (run: string, { changes }: DefinitionDispute): readonly string[] =>
  changersIn(changes).map((task) => {
    const paths = changesBy(task, changes).map(({ path }) => shellPath(path));
    return `tidegate grant ${run}/${task} ${paths.join(' ')}`;
  });

function interruption(finding: FindingOf<'landing-cut-off'>): string {
  switch (finding.fault) {
    case 'git-running':
      return `git (process ${finding.pid}) is still running there`;
    case 'ref-elsewhere':
      return `${finding.ref} is at ${finding.actual ?? 'nothing'}, which is neither the old nor the new commit`;
    case 'ref-moved':
      return `${finding.ref} has just moved`;
    case 'index-mixed':
      return `the index matches neither the old nor the new commit${named(finding.files)}`;
  }
}

const requestFaults = {
  login: 'is not logged in',
  failed: 'could not open the pull request',
  timeout: 'did not open the pull request in time',
  'no-address': 'did not return the address of the pull request',
} as const;

/** Run and task for a commit of Tidegate, and the id for any other. */
const commitName = ({ commit, run, task }: ForeignCommit): string =>
  run === undefined || task === undefined ? commit.slice(0, 8) : `${run}/${task}`;
