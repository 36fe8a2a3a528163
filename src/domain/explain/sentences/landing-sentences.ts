import { shellPath, shellWord } from '../../base/shell-word.ts';
import type { FindingOf } from '../../findings/finding.ts';
import type { LandingRules, PullRequestRules } from '../../findings/landing-rules.ts';
import { changersIn, changesBy, type DefinitionDispute } from '../../landing/earlier-definitions.ts';
import type { ForeignCommit } from '../../ledger/landing-events.ts';
import { answerQuestion, checkLog, undoAgain } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few } from '../text.ts';

/** What a run was built on by `--with-uncommitted` lands only as the person's own commit. */
const commitFirst = 'commit the changes that it was built on';

type LandingFails = Pick<FindingOf<'landing-check'>, 'run' | 'branch' | 'tasks' | 'check'> & {
  readonly uncommitted: true | undefined;
};

function landingFails({ run, branch, tasks, check, uncommitted }: LandingFails) {
  return {
    detail: `${uncommitted === true ? `on ${branch} without your uncommitted changes` : tasks === null ? `on top of the new ${branch}` : `with only ${tasks.join(', ')} on ${branch}`} the check ${check} fails`,
    fix:
      uncommitted === true
        ? commitFirst
        : tasks === null
          ? `fix ${branch} so that the check passes, and commit`
          : chooseOthers(run),
  };
}

/** What is in the way; `fix` is what to do before the landing or the undo is asked for again. */
export const landingSentences: Sentences<LandingRules> = {
  'dirty-checkout': ({ worktree, files }) => ({
    detail: `you have changes in ${worktree} that this would overwrite; they are untouched${named(files)}`,
    fix: `commit them or put them aside (git -C ${shellWord(worktree)} stash)`,
  }),
  'untracked-files': ({ worktree, files }) => ({
    detail: `this would overwrite untracked files in ${worktree}; they are untouched${named(files)}`,
    fix: 'move them away',
  }),
  'operation-unfinished': ({ worktree, operation }) => ({
    detail: `a ${operation} is not finished in ${worktree}`,
    fix: `finish it (git ${operation.split(' ')[0]} --continue) or give it up (--abort) there`,
  }),
  'submodules-move': ({ files }) => ({
    detail: `submodules would have to move${named(files)}`,
    fix: 'update the submodules by hand',
  }),
  'lfs-unusable': ({ files }) => ({
    detail: `your git configuration requires git-lfs (filter.lfs.required), which cannot be run; your files are untouched${named(files)}`,
    fix: 'install git-lfs',
  }),
  'git-locked': ({ files }) => ({
    detail: `another git command is running in your repository, or was killed there${named(files)}`,
    fix: 'when no git runs any more, remove the lock files',
  }),
  'not-a-branch': ({ ref }) => ({ detail: `${ref} is not a branch`, fix: 'land on a branch' }),
  'several-worktrees': ({ ref, worktrees }) => ({
    detail: `${ref} is checked out in several working trees: ${worktrees.join(', ')}`,
    fix: 'leave it checked out in one of them',
  }),
  'worktree-missing': ({ ref, worktree }) => ({
    detail: `${ref} is checked out in ${worktree}, which is not there`,
    fix: 'git worktree prune, or bring it back',
  }),
  'branch-checked-out': ({ ref, worktree }) => ({
    detail: `${ref} is checked out in ${worktree}`,
    fix: 'check out another branch there',
  }),
  'files-refused': ({ words }) => `git will not change the files: ${words}`,
  'branch-moved': ({ ref, expected, actual }) =>
    `${ref} is at ${actual ?? 'nothing'} instead of ${expected ?? 'nothing'}: somebody moved it`,
  'branch-gone': ({ branch }) => ({ detail: `the branch ${branch} is gone`, fix: 'bring the branch back' }),
  'landing-cut-off': (finding) => ({
    detail: `a landing of ${finding.run} was cut off (${finding.old} to ${finding.new}) and cannot be ended: ${cutOff(finding)}`,
    fix: `look at ${finding.worktree ?? finding.ref}; when ${finding.ref} and its files are as you want them, remove landing.json from the state directory`,
  }),
  'none-merged': () => ({ detail: 'no task is merged yet', fix }),
  'landing-unapproved': () => ({ detail: 'nobody approved the landing', fix }),
  'plan-unapproved': () => ({ detail: 'nobody approved this plan', fix }),
  'landing-unbuilt': ({ tasks }) => ({ detail: `nothing was built of ${tasks.join(', ')} alone`, fix }),
  'landing-outdated': () => 'the run went on while it was landed',
  'landing-diverged': ({ commit, expected, actual }) => ({
    detail: `diverged: ${commit} holds ${actual} commits instead of ${expected}`,
    fix,
  }),
  'landing-unchecked': ({ branch, checks }) => ({
    detail: `not proven on top of the new ${branch}: ${checks.join(', ')}`,
    fix,
  }),
  'landing-not-ahead': ({ branch }) => ({
    detail: `${branch} is not where the run started from: it has to be rebuilt first`,
    fix,
  }),
  'landing-busy': ({ branch, tries }) => ({
    detail: `${branch} moved ${tries} times while its checks ran`,
    fix: `wait until nobody works on ${branch}`,
  }),
  'landing-conflicts': ({ run, branch, tasks, files, task, against = [], uncommitted }) => ({
    detail: `${
      uncommitted === true
        ? `the run was built on your uncommitted changes, and conflicts with ${branch} without them`
        : tasks === null
          ? `${task ?? 'the run'} conflicts with what is new on ${branch}${against.length === 0 ? '' : `, ${against.map(commitName).join(', ')}`}`
          : `${tasks.join(', ')} cannot land alone: what was left out, or is new on ${branch}, touches the same lines`
    }${named(files)}`,
    fix: uncommitted === true ? commitFirst : `tidegate edit ${run}`,
  }),
  'landing-check': ({ run, branch, tasks, check, uncommitted, defined }) => {
    if (defined === undefined) return landingFails({ run, branch, tasks, check, uncommitted });
    const paths = defined.changes.map(({ path }) => path);
    return {
      detail: `the check ${check} passes with the run's definition and fails with ${branch}'s`,
      fix: [`read the change of ${few(paths, 3)} and grant it:`, ...grantCommands(run, defined)].join('\n'),
    };
  },
  'landing-question': ({ run, record, branch }) => ({
    detail: `question ${record} is critical: nothing lands on ${branch} until it is answered`,
    command: answerQuestion(run, record),
  }),
  'need-left-out': ({ task, need }) => ({ detail: `${task} needs ${need}, which is left out`, fix }),
  'generated-left-out': ({ task }) => ({
    detail: `the generated files were rebuilt with ${task} in them, which is left out`,
    fix,
  }),
  'history-unrelated': ({ branch }) =>
    `${branch} has another history now: it shares no commit with where the run began`,
  'undo-refused': ({ run, task, because }, explain) => {
    const { command = undoAgain(run, task), ...said } = explain(because);
    return { ...said, command };
  },
  'undo-busy': ({ branch, tries, reverts }) => ({
    detail: `${branch} moved ${tries} times while the checks of its undo ran; to revert by hand: git revert ${reverts.join(' ')}`,
    fix: `wait until nobody works on ${branch}`,
  }),
  'undo-check': ({ run, task, branch, check, reverts }) => ({
    detail: `with ${task === null ? run : `${run}/${task}`} taken out of ${branch} the check ${check} fails; to revert it all the same: git revert ${reverts.join(' ')}`,
    fix: `fix ${branch} (output of the check: ${checkLog(run, check)})`,
  }),
  'undo-diverged': ({ commit }) => ({ detail: `diverged: ${commit} is not what was prepared`, fix: 'tidegate verify' }),
  'no-landed-commit': ({ task }) => ({ detail: `${task ?? 'the run'} has no landed commit`, fix: 'tidegate status' }),
  'landing-lost': ({ branch }) => ({
    detail: `${branch} no longer contains what landed`,
    fix: `look at it (git log ${branch})`,
  }),
  'branch-moved-on': ({ branch }) => ({ detail: `${branch} has moved on`, command: `git branch -D ${branch}` }),
  'built-upon': ({ commit, words, files }) => ({
    detail: `what came later builds on ${words}, so that it cannot be taken out alone${named(files)}`,
    fix: 'revert it by hand',
    command: `git revert ${commit}`,
  }),
  'commit-without-parent': ({ commit }) => `${commit} has no parent`,
};

const fix = 'tidegate why';

const named = (files: readonly string[]): string => (files.length === 0 ? '' : `: ${few(files, 5)}`);

/** One command for each task that changed a definition: a path may be another task's own. */
const grantCommands = (run: string, { changes }: DefinitionDispute): readonly string[] =>
  changersIn(changes).map((task) => {
    const paths = changesBy(task, changes).map(({ path }) => shellPath(path));
    return `tidegate grant ${run}/${task} ${paths.join(' ')}`;
  });

const chooseOthers = (run: string): string => `choose other tasks, or land all of it (tidegate land ${run})`;

function cutOff(finding: FindingOf<'landing-cut-off'>): string {
  switch (finding.fault) {
    case 'git-running':
      return `git (process ${finding.pid}) is running there`;
    case 'ref-elsewhere':
      return `${finding.ref} is at ${finding.actual ?? 'nothing'}, neither before nor after the landing`;
    case 'ref-moved':
      return `${finding.ref} moved just now`;
    case 'index-mixed':
      return `the index is neither as before nor as after the landing${named(finding.files)}`;
  }
}

/** By run and task where it is one of ours, else by its id. */
const commitName = ({ commit, run, task }: ForeignCommit): string =>
  run === undefined || task === undefined ? commit.slice(0, 8) : `${run}/${task}`;

export const pullRequestSentences: Sentences<PullRequestRules> = {
  'no-remote': ({ branch, remotes }) => ({
    detail: `${branch} has no remote to push to`,
    fix:
      remotes.length === 0
        ? 'git remote add origin <address>'
        : `git config ${shellWord(`branch.${branch}.remote`)} ${shellWord(remotes[0] ?? 'origin')}`,
  }),
  'push-failed': ({ remote, branch, fault, words }) => ({
    detail: `${branch} could not be pushed to ${remote}${pushFaults[fault]}${said(words)}`,
    fix: `see that this works: git push ${shellWord(remote)} ${shellWord(branch)}`,
  }),
  'pull-request-failed': ({ opener, remote, branch, fault, words }) => ({
    detail: `${branch} is pushed to ${remote}, but ${opener} ${requestFaults[fault]}${said(words)}`,
    ...(fault === 'login' ? { fix: `${opener} auth login` } : {}),
  }),
  'pull-request-open': ({ url }) => ({
    detail: `the pull request is open: ${url}`,
    fix: 'merge it there, then pull',
  }),
  'undo-pull-request': ({ branch, url }) => ({
    detail: `the run has a pull request, and Tidegate does not move your branch for it`,
    fix: url === null ? `close the pull request of ${branch}, or revert it` : `close or revert it at ${url}`,
  }),
};

const pushFaults = {
  rejected: '',
  unreachable: '',
  timeout: ' in time',
} as const;

const requestFaults = {
  login: 'is not logged in',
  failed: 'could not open the pull request',
  timeout: 'did not open the pull request in time',
  'no-address': 'did not say where the pull request is',
} as const;

const said = (words: string): string => (words === '' ? '' : `: ${words}`);
