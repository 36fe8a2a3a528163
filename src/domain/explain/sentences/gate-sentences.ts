import { shellPath, shellWord } from '../../base/shell-word.ts';
import { addressFaults } from '../../base/web-address.ts';
import type { FindingsOf } from '../../findings/finding.ts';
import type { GateRules, ThreadRules } from '../../findings/gate-rules.ts';
import type { Sentences } from '../sentence.ts';
import { few } from '../text.ts';
import { describeBreaches } from './attempt-sentences.ts';

type Missing = FindingsOf<Pick<GateRules, 'wave-missing'>>;

function missingText({ tasks, why, run, branch }: Missing): string {
  const [names, is, was, has] =
    tasks.length === 1 ? [tasks.join(''), 'is', 'was', 'has'] : [few(tasks), 'are', 'were', 'have'];
  switch (why) {
    case 'absent':
      return `no run has done ${names}`;
    case 'unfinished':
      return `${names} ${is} not finished in ${run}`;
    case 'unlanded':
      return `${names} of ${run} ${has} not landed`;
    case 'undone':
      return `${names} of ${run} ${was} undone`;
    case 'dropped':
      return `${names} ${was} dropped in ${run}, while later tasks need ${tasks.length === 1 ? 'it' : 'them'}`;
    case 'on-branch':
      return `${names} of ${run} ${is} on ${branch} only`;
    case 'not-in-base':
      return `what landed for ${names} in ${run} is not in the history of the branch any more`;
  }
}

function missingFix({ why, run, branch = '', next, file }: Missing): string {
  switch (why) {
    case 'unlanded':
      return `tidegate land ${run}`;
    case 'unfinished':
      return `tidegate why ${run}`;
    case 'on-branch':
      return `git merge ${shellWord(branch)}`;
    default:
      return `tidegate run ${shellPath(file)} --wave ${next}`;
  }
}

export const gateSentences: Sentences<GateRules> = {
  'run-id': ({ id }) => `"${id}" is not a run id`,
  'plan-exists': ({ file }) => `no plan at ${file}`,
  'wave-order': ({ wave, next }) =>
    next === null
      ? `wave ${wave} was asked for, but no wave is open`
      : { detail: `wave ${wave} was asked for, but wave ${next} is the next open one`, fix: `--wave ${next}` },
  'wave-missing': (finding) => ({
    detail: `wave ${finding.wave} needs the waves before it, and ${missingText(finding)}`,
    fix: missingFix(finding),
  }),
  'plan-has-tasks': () => 'the plan has no task',
  repository: ({ expected, actual }) =>
    `the plan is for the repository that began with ${expected}, this one began with ${actual}`,
  'repo-claim': ({ of, tasks, expected, actual }) => ({
    detail: `${few(tasks)} ${tasks.length === 1 ? 'is' : 'are'} for the repository ${
      of === 'root'
        ? `that began with ${expected}, this one began with ${actual}`
        : `${expected}, and ${actual === null ? 'this one has no remote' : `this one is ${actual}`}`
    }`,
    fix: 'run it there, or correct `repo:`',
  }),
  'thread-bound': () => 'no coordination thread is bound',
  'wave-has-tasks': ({ wave }) => `wave ${wave} has no task`,
  approval: ({ decision }) =>
    decision === 'pending'
      ? 'the start waits for approval'
      : decision === 'held'
        ? 'a person holds the start'
        : `the start was ${decision}`,
  'plan-hash': () => 'the approval is for another version of the plan',
  'task-planned': ({ task }) => `${task} is not in the plan`,
  'workspace-base': ({ base, actual }) => `the workspace stands on ${actual}, not on ${base}`,
  fence: ({ mode, canary, breaches = [] }) =>
    `fence ${mode}, canary ${canary}${breaches.length === 0 ? '' : `: ${describeBreaches(breaches)}`}`,
  exit: ({ reason, code, signal, trouble, because, words = '' }, explain) => {
    const { detail, fix } = because === undefined ? { detail: '' } : explain(because);
    const more = [detail, words].filter((text) => text !== '');
    const why = trouble === undefined ? '' : ` (${[trouble, ...more].join(': ')})`;
    const told = (text: string) => ({ detail: text, ...(fix === undefined ? {} : { fix }) });
    if (reason === 'exited' && code === 0) return told(`exit 0, but the agent did not say that it had finished${why}`);
    const how = reason !== 'exited' ? reason : signal === null ? `exit ${code}` : `killed by ${signal}`;
    return told(trouble === undefined ? [how, ...more].join(': ') : `${how}${why}`);
  },
  'handoff-present': () => 'the agent left no handoff',
  'handoff-valid': ({ because }, explain) => explain(because).detail,
  'handoff-nonce': () => 'the handoff is of another attempt',
  'handoff-status': ({ status, words: [summary = '', ...remaining] }) =>
    `the agent says ${status}: ${summary}${remaining.length === 0 ? '' : `; remaining: ${remaining.join(', ')}`}`,
  'snapshot-present': ({ because }, explain) =>
    `the workspace could not be snapshotted${because === undefined ? '' : `: ${explain(because).detail}`}`,
  files: ({ changed, limit }) => `${changed} files changed, the limit is ${limit}`,
  changes: () => 'nothing was changed; set allowEmpty if that is fine',
  'deliverable-missing': ({ pattern }) => `the deliverable ${pattern} was not made`,
  'draft-read': ({ where }) => `${where} was not read`,
  'round-has-tasks': () => 'no task is in this round',
  'check-run': ({ check }) => `the check ${check} has not run on this tree`,
  check: ({ check, outcome }) => `the check ${check} ${outcome}`,
  conflict: ({ files }) => `conflicts with other work in ${files.join(', ')}`,
  'check-fails': ({ check }) => `the check ${check} fails`,
  'run-branch': ({ expected, actual }) => `the run branch is at ${actual}, not at ${expected}`,
  'merge-proof': () => 'the merger gave no proof',
};

export const threadSentences: Sentences<ThreadRules> = {
  'delivery-address': ({ fault }) => addressFaults[fault],
  'delivery-redirected': ({ status }) => `answered ${status}: redirects are not followed`,
  'delivery-endless': () => 'its answer does not end',
  'delivery-late': ({ seconds }) => `no answer within ${seconds} s`,
  'delivery-cut-short': () => 'there was no time for an answer',
  'delivery-unreachable': ({ code }) => `cannot be reached${code === null ? '' : ` (${code})`}`,
  'delivery-refused': ({ status }) => `answered ${status}`,
  'token-unset': ({ variable }) => `${variable} is not set`,
  'token-unfit': ({ variable }) => `${variable} holds no token`,
  'thread-without-id': () => 'its answer has no id',
  'thread-log': ({ code }) => `cannot be written (${code})`,
};
