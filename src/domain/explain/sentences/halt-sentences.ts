import { shellPath, shellWord } from '../../base/safe-text.ts';
import type { HaltRules } from '../../findings/halt-rules.ts';
import { discardCommand } from '../../kept/discard.ts';
import { type LargestKept, sizeText } from '../../kept/disk.ts';
import { checkLog } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few, withWords } from '../text.ts';

export const haltSentences: Sentences<HaltRules> = {
  system: ({ words }) => words,
  'git-failed': ({ args, exitCode, words }) =>
    `git ${args.join(' ')} failed (${exitCode ?? 'killed'}): ${words || 'no message'}`,
  'disk-full': ({ directory }) => ({
    detail: `no space left on the disk of ${directory}`,
    fix: 'free some disk space',
  }),
  'git-output': ({ args, limit }) => `git ${args.join(' ')} printed more than ${limit} bytes`,
  'commit-missing': ({ commit, repository }) => `commit ${commit} is missing from ${repository}`,
  'commits-written': ({ expected, actual }) => `${actual} commits were written instead of ${expected}`,
  'objects-missing': ({ repository, commit }) => ({
    detail: `objects of ${commit} are missing from ${repository}`,
    fix: 'git fsck --full',
  }),
  'foreign-repository': ({ repository }) => `${repository} was not created by Tidegate`,
  'object-format': ({ repository, expected, actual }) =>
    `${repository} uses ${actual} objects, but the checkout uses ${expected}`,
  'ledger-unavailable': ({ file, words }) => `the ledger ${file} cannot be used now: ${words}`,
  'ledger-damaged': ({ file, words }) => ({
    detail: `the ledger ${file} is refused: ${words}`,
    fix: 'tidegate verify',
  }),
  'state-file': ({ file, fault }) => ({
    detail: `${file} is damaged: ${fileFaults[fault]}`,
    fix: `${file.endsWith('/landing.json') ? inspectFirst : ''}mv ${shellPath(file)} ${shellPath(`${file}.damaged`)}`,
  }),
  'draft-unreadable': ({ file }) => `the draft ${file} could not be read`,
  'merger-unstartable': ({ words }) => `the merger could not be started: ${words}`,
  'merger-ended': ({ code, signal, words }) => withWords(`the merger ended (${signal ?? code})`, words),
  'merger-garbled': ({ words }) => `the merger sent an unreadable answer: ${words}`,
  'merger-released': () => 'this coordinator has released its merger',
  'merger-refused': ({ request, because }, explain) => {
    const { detail, fix = 'tidegate why' } = explain(because);
    return { detail: `the merger refuses to ${request}: ${detail}`, fix };
  },
  'run-branch-gone': () => ({ detail: 'the run branch is missing from the bare repository', fix: 'tidegate verify' }),
  'run-branch-elsewhere': ({ expected, actual }) => ({
    detail: `the run branch is at ${actual}, but it was moved to ${expected}`,
    fix: 'tidegate verify',
  }),
  'round-conflicts': () => 'every task of the round conflicts',
  'round-closure': () => 'closure did not pass',
  'round-replanned': () => 'the plan was replaced',
  'round-component': ({ component }) => `${component} stays at its level`,
  'round-interrupted': ({ task }) => `a person's request about ${task} ended the round`,
  'round-check': ({ check, tasks }) => `${check} fails with ${tasks.join(', ')}`,
  'round-generated': ({ paths, because }, explain) => `${notRebuilt(paths)}: ${explain(because).detail}`,
  'round-unblamed': ({ run, tasks, because }, explain) => {
    const [first = ''] = tasks;
    const suspects = tasks.length === 1 ? `if ${first} broke it:` : `if one of ${few(tasks)} broke it, for example:`;
    const isCheck = because.rule === 'round-check';
    const [log, message] = isCheck
      ? [checkLog(run, because.check), `${because.check} fails`]
      : [`tidegate logs ${run} --generated`, notRebuilt(because.paths)];
    const ways = `tidegate drop ${run}/${first} or tidegate rework ${run}/${first} -m ${shellWord(message)}`;
    const { detail } = explain(because);
    return {
      detail: isCheck ? `${detail} and their generated files` : detail,
      fix: `${log}; ${suspects} ${ways}`,
    };
  },
  'nothing-integrated': ({ tasks }) => `the merger integrated none of ${tasks.join(', ')} and reported no conflict`,
  'check-unrunnable': ({ check, because, words }, explain) => {
    const cause = [because === null ? '' : explain(because).detail, words].filter((text) => text !== '').join('\n');
    return `check ${check} could not run: ${cause}`;
  },
  'check-red': ({ run, check }) => ({
    detail: `the check ${check} fails on work that is already merged`,
    fix: 'fix the check',
    command: `tidegate resume ${run} --replan`,
  }),
  'memory-short': ({ free }) => ({
    detail: `only ${sizeText(free)} of memory is free`,
    fix: 'close other programs, or lower limits.parallel',
  }),
  'disk-short': ({ free, least, largest }) => ({
    detail: `only ${sizeText(free)} of disk space is free, and disk.free requires ${sizeText(least)}${largestText(largest)}`,
    fix: 'free some disk space',
    ...largestCommand(largest),
  }),
  'disk-over-cap': ({ used, cap, largest }) => ({
    detail: `workspaces and setup results use ${sizeText(used)}, and disk.cap allows ${sizeText(cap)}${largestText(largest)}`,
    fix: 'land or drop tasks to free their workspaces, or raise disk.cap in your own configuration',
    ...largestCommand(largest),
  }),
  'disk-unmeasured': ({ because }, explain) => ({
    detail: `the free disk space cannot be measured: ${explain(because).detail}`,
    fix: 'tidegate doctor',
  }),
  'disk-measuring': () => ({
    detail: 'the free disk space is still being measured',
  }),
  'launch-failed': ({ because, before }, explain) => {
    const { detail, ...advice } = because === null ? { detail: 'the agent could not be started' } : explain(because);
    const others = before.length === 0 ? '' : `; ${before.join(' and ')} failed to start before`;
    return { detail: `${detail}${others}`, ...advice };
  },
};

const fileFaults = {
  garbled: 'Tidegate did not write its contents',
  unreadable: 'it cannot be read',
  directory: 'it is a directory',
} as const;
/** A landing may have been cut off there, so the person has to inspect its remains. */
const inspectFirst = 'inspect your branch and files with git status; if they are correct: ';

const largestText = (largest: LargestKept | undefined): string =>
  largest === undefined
    ? ''
    : `; the largest file in no snapshot is ${largest.path} of ${largest.run}/${largest.task} (${sizeText(largest.bytes)})`;
const largestCommand = (largest: LargestKept | undefined) =>
  largest === undefined ? {} : { command: discardCommand(largest.run, largest) };

const notRebuilt = (paths: readonly string[]): string =>
  `the generated files (${paths.join(', ')}) could not be rebuilt`;
