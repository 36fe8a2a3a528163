import { shellPath, shellWord } from '../../base/shell-word.ts';
import type { HaltRules } from '../../findings/halt-rules.ts';
import { discardCommand } from '../../kept/discard.ts';
import { type LargestKept, sizeText } from '../../kept/disk.ts';
import { checkLog } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few } from '../text.ts';

export const haltSentences: Sentences<HaltRules> = {
  system: ({ words }) => words,
  'git-failed': ({ args, exitCode, words }) =>
    `git ${args.join(' ')} failed (${exitCode ?? 'killed'}): ${words || 'no message'}`,
  'disk-full': ({ directory }) => ({
    detail: `no space left on the disk of ${directory}`,
    fix: 'make room on the disk',
  }),
  'git-output': ({ args, limit }) => `git ${args.join(' ')} gave more than ${limit} bytes of output`,
  'commit-missing': ({ commit, repository }) => `commit ${commit} is missing from ${repository}`,
  'commits-written': ({ expected, actual }) => `${actual} commits were written instead of ${expected}`,
  'objects-missing': ({ repository, commit }) => ({
    detail: `${commit} is not complete in ${repository}`,
    fix: 'git fsck --full',
  }),
  'foreign-repository': ({ repository }) => `${repository} was not made by Tidegate`,
  'object-format': ({ repository, expected, actual }) =>
    `${repository} holds ${actual} objects, the checkout ${expected}`,
  'ledger-unavailable': ({ file, words }) => `the ledger ${file} cannot be used now: ${words}`,
  'ledger-damaged': ({ file, words }) => ({
    detail: `the ledger ${file} is refused: ${words}`,
    fix: 'tidegate verify',
  }),
  'state-file': ({ file, fault }) => ({
    detail: `${file} is damaged: ${fileFaults[fault]}`,
    fix: `${file.endsWith('/landing.json') ? lookFirst : ''}mv ${shellPath(file)} ${shellPath(`${file}.damaged`)}`,
  }),
  'draft-unreadable': ({ file }) => `${file}, which was drafted, could not be looked at`,
  'merger-unstartable': ({ words }) => `the merger could not be started: ${words}`,
  'merger-ended': ({ code, signal, words }) =>
    `the merger ended (${signal ?? code})${words === '' ? '' : `: ${words}`}`,
  'merger-garbled': ({ words }) => `the merger gave an answer that cannot be read: ${words}`,
  'merger-released': () => 'this coordinator has let go of its merger',
  'merger-refused': ({ request, because }, explain) => {
    const { detail, fix = 'tidegate why' } = explain(because);
    return { detail: `the merger refuses to ${request}: ${detail}`, fix };
  },
  'run-branch-gone': () => ({ detail: 'the run branch is gone from the bare repository', fix: 'tidegate verify' }),
  'run-branch-elsewhere': ({ expected, actual }) => ({
    detail: `the run branch is at ${actual}, not where it was moved to (${expected})`,
    fix: 'tidegate verify',
  }),
  'round-conflicts': () => 'every task of it conflicts',
  'round-closure': () => 'closure did not pass',
  'round-replanned': () => 'the plan is replaced',
  'round-interrupted': ({ task }) => `a person took ${task} out of it while the run was halted`,
  'round-check': ({ check, tasks }) => `${check} fails with ${tasks.join(', ')}`,
  'round-generated': ({ paths, because }, explain) => `${unbuilt(paths)}: ${explain(because).detail}`,
  'round-unblamed': ({ run, tasks, because }, explain) => {
    const [first = ''] = tasks;
    const broke = tasks.length === 1 ? 'if a task broke it,' : `if one of ${few(tasks)} broke it, here for the first:`;
    const isCheck = because.rule === 'round-check';
    const [log, message] = isCheck
      ? [checkLog(run, because.check), `${because.check} fails`]
      : [`tidegate logs ${run} --generated`, unbuilt(because.paths)];
    const ways = `tidegate drop ${run}/${first} or tidegate rework ${run}/${first} -m ${shellWord(message)}`;
    const { detail } = explain(because);
    return {
      detail: isCheck ? `${detail} and the files that they generate` : detail,
      fix: `${log}; ${broke} ${ways}`,
    };
  },
  'nothing-integrated': ({ tasks }) => `the merger integrated none of ${tasks.join(', ')}, and named no conflict`,
  'check-unrunnable': ({ check, because, words }, explain) => {
    const why = [because === null ? '' : explain(because).detail, words].filter((text) => text !== '').join('\n');
    return `check ${check} could not run: ${why}`;
  },
  'check-red': ({ run, check }) => ({
    detail: `the check ${check} fails on what is merged already`,
    fix: 'fix the check',
    command: `tidegate resume ${run} --replan`,
  }),
  'memory-short': ({ free }) => ({
    detail: `only ${sizeText(free)} of memory are free`,
    fix: 'end something, or lower limits.parallel',
  }),
  'disk-short': ({ free, least, largest }) => ({
    detail: `only ${sizeText(free)} are free on the disk, and ${sizeText(least)} (disk.free) must be${largestText(largest)}`,
    fix: 'make room on the disk',
    ...largestCommand(largest),
  }),
  'disk-over-cap': ({ used, cap, largest }) => ({
    detail: `workspaces and products of setup take ${sizeText(used)} of at most ${sizeText(cap)} (disk.cap)${largestText(largest)}`,
    fix: 'land or drop tasks to free their workspaces, or raise disk.cap in your own configuration',
    ...largestCommand(largest),
  }),
  'disk-unmeasured': ({ because }, explain) => ({
    detail: `the room on the disk cannot be measured: ${explain(because).detail}`,
    fix: 'tidegate doctor',
  }),
  'disk-measuring': () => ({
    detail: 'the room on the disk is being measured: files are kept that no snapshot holds',
  }),
  'launch-failed': ({ because, before }, explain) => {
    const { detail, ...advice } = because === null ? { detail: 'it could not be started' } : explain(because);
    const others = before.length === 0 ? '' : `; before it ${before.join(' and ')} could not do it either`;
    return { detail: `${detail}${others}`, ...advice };
  },
};

const fileFaults = {
  garbled: 'it is not what Tidegate wrote',
  unreadable: 'it cannot be read',
  directory: 'it is a directory',
} as const;
/** A landing may have been cut off there: what is left of it is the person's to judge. */
const lookFirst = 'look at your branch and files with git status; when they are as you want them: ';

const largestText = (largest: LargestKept | undefined): string =>
  largest === undefined
    ? ''
    : `; the largest file that no snapshot holds is ${largest.path} of ${largest.run}/${largest.task} (${sizeText(largest.bytes)})`;
const largestCommand = (largest: LargestKept | undefined) =>
  largest === undefined ? {} : { command: discardCommand(largest.run, largest) };

const unbuilt = (paths: readonly string[]): string => `the generated files (${paths.join(', ')}) could not be rebuilt`;
