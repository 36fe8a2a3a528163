import { shellPath, shellWord } from '../../base/safe-text.ts';
import { addressFaults } from '../../base/web-address.ts';
import { roleWords } from '../../closure/roles.ts';
import type { FindingOf } from '../../findings/finding.ts';
import type { GateRules } from '../../findings/gate-rules.ts';
import type { ProofFault } from '../../gates/evidence.ts';
import { unclearText, worseText } from '../check-text.ts';
import type { Sentences } from '../sentence.ts';
import { checkOutcomes, few } from '../text.ts';
import { describeBreaches } from './attempt-sentences.ts';

export const gateSentences: Sentences<GateRules> = {
  'run-id': ({ id }) => `"${id}" is not a run id`,
  'plan-exists': ({ file }) => `there is no plan at ${file}`,
  'wave-order': ({ wave, next }) =>
    next === null
      ? `wave ${wave + 1} cannot run: no wave is open`
      : { detail: `wave ${wave + 1} cannot run yet: wave ${next + 1} is next`, fix: `use --wave ${next + 1}` },
  'wave-missing': (finding) => ({
    detail: `wave ${finding.wave + 1} needs the earlier waves, but ${missingText(finding)}`,
    fix: missingFix(finding),
  }),
  'plan-has-tasks': () => 'the plan has no task',
  repository: ({ expected, actual }) =>
    `the plan is for the repository with the first commit ${expected}; the first commit here is ${actual}`,
  'repo-claim': ({ of, tasks, expected, actual }) => ({
    detail: `${few(tasks)} ${tasks.length === 1 ? 'is' : 'are'} for the repository ${
      of === 'root'
        ? `with the first commit ${expected}; the first commit here is ${actual}`
        : `${expected}, but this one ${actual === null ? 'has no remote' : `is ${actual}`}`
    }`,
    fix: 'run it there, or correct `repo:`',
  }),
  'thread-bound': () => 'no coordination thread is bound',
  'wave-has-tasks': ({ wave }) => `wave ${wave + 1} has no task`,
  approval: ({ decision }) =>
    ({
      pending: 'the plan is waiting for approval',
      held: 'a person has put the start on hold',
      rejected: 'the plan was rejected',
      expired: 'nobody approved the plan in time',
    })[decision],
  'plan-hash': () => 'the approval is for another version of the plan',
  'task-planned': ({ task }) => `${task} is not in the plan`,
  'workspace-base': ({ base, actual }) => `the workspace is at ${actual} instead of ${base}`,
  fence: ({ mode, canary, breaches = [] }) =>
    `fence ${mode}, canary ${canary}${breaches.length === 0 ? '' : `: ${describeBreaches(breaches)}`}`,
  exit: ({ reason, code, signal, trouble, because, words = '' }, explain) => {
    const { detail = '', fix } = because === undefined ? {} : explain(because);
    const causes = [detail, words].filter((text) => text !== '');
    const failure = trouble === undefined ? '' : ` (${[trouble, ...causes].join(': ')})`;
    const sentence = (text: string) => ({ detail: text, ...(fix === undefined ? {} : { fix }) });
    if (reason === 'exited' && code === 0) return sentence(`exit 0, but the agent did not report completion${failure}`);
    const ending = reason !== 'exited' ? reason : signal === null ? `exit ${code}` : `killed by ${signal}`;
    return sentence(trouble === undefined ? [ending, ...causes].join(': ') : `${ending}${failure}`);
  },
  'handoff-present': ({ role }) => `the agent exited without a ${role === undefined ? 'handoff' : 'report'}`,
  'handoff-valid': ({ because }, explain) => explain(because).detail,
  'handoff-nonce': () => 'the handoff belongs to another attempt',
  'handoff-status': ({ status, words: [summary = '', ...remaining] }) =>
    `the agent reports ${status}: ${summary}${remaining.length === 0 ? '' : `; remaining: ${remaining.join(', ')}`}`,
  'snapshot-present': ({ because }, explain) =>
    `the workspace could not be snapshotted${because === undefined ? '' : `: ${explain(because).detail}`}`,
  'sides-compared': () => 'the result was not compared with both sides',
  'markers-left': () => 'it still has markers of the conflict',
  'hunk-gone': (hunk) => ({
    detail: `${goneText(hunk)}, and the handoff does not name that`,
    fix: `restore it, or name it with \`--dropped "path:${hunk.mode === undefined ? 'lines' : 'mode'} reason"\``,
  }),
  files: ({ changed, limit }) => `${changed} files were changed; the limit is ${limit}`,
  changes: () => 'no files were changed; set `allowEmpty` if that is correct',
  'deliverable-missing': ({ pattern }) => `the deliverable ${pattern} was not created`,
  'exit-claim': ({ part, level, claimed }) => ({
    detail:
      claimed === null
        ? `the handoff claims no level of ${part}; the contract requires ${level}`
        : `the handoff claims ${part} ${claimed}; the contract requires ${level}`,
    fix: `reach it, then hand off with --claim ${part}=${level}`,
  }),
  'exit-gap': () => 'the handoff reports a gap in the exit contract',
  'proof-missing': ({ path, fault }) => `the proof ${path} ${proofFaults[fault]}`,
  'level-unproven': ({ task, part, level, needs }) =>
    `nothing holds up ${part} ${level} of ${task}: ${unprovenNeeds[needs]}`,
  'draft-read': ({ where }) => `${where} was not read`,
  'round-has-tasks': () => 'no task is in this round',
  'check-run': ({ check }) => `the check ${check} has not run on this tree`,
  check: ({ check, outcome, worse }) => `the check ${check} ${checkOutcomes[outcome]}${worseText(worse)}`,
  'check-unclear': ({ check, why }) => `the check ${check} cannot be compared with the base: ${unclearText(why)}`,
  conflict: ({ files }) => `conflicts with other work in ${files.join(', ')}`,
  'check-fails': ({ check }) => `the check ${check} fails`,
  'role-report': ({ role, code, word, words }) =>
    `${role} reports ${word}${roleWords[role].closes.includes(word) ? `, but ${reportGap(code)}` : ''}${
      words.length === 0 ? '' : `: ${few(words)}`
    }`,
  'proof-open': ({ run, task, level, code }) => ({
    detail: proofGaps[code](task, level),
    ...(run === undefined
      ? {}
      : { fix: `tidegate proof add ${run}/${task} --level ${level} --file <path> -m "<attestation>"` }),
  }),
  'proof-damaged': ({ run, task, file, fault, bundle }) => ({
    detail: `the proof ${file} of ${task} ${fault === 'missing' ? 'is gone' : 'was changed since it was kept'}`,
    fix:
      bundle === undefined
        ? 'restore the file in the state directory'
        : `tidegate proof supersede ${run}/${bundle} --file <path> -m "<attestation>"`,
  }),
  'component-open': ({ run, component, level, tasks, code }) => ({
    detail: componentGaps[code](component, level, tasks.join(', ')),
    ...(run === undefined || code !== 'component-proof-missing'
      ? {}
      : {
          fix: `tidegate proof add ${run}/${tasks[0]} --level live --component ${component}=${level} --file <path> -m "<attestation>"`,
        }),
  }),
  'docs-open': ({ items }) => `the docs role has not closed ${few(items)}`,
  'open-question': ({ run, record }) => ({
    detail: `the critical question ${record} is not answered`,
    fix: `tidegate answer ${run}/${record} -m "…"`,
  }),
  'role-report-missing': ({ role, because }, explain) =>
    because === undefined
      ? `${role} has not reported on this tree`
      : `the report of ${role} does not count: ${explain(because).detail}`,
  'landing-changed': ({ task, paths }) => ({
    detail: `${task} changed ${few(paths)} while it judged a landing, and only a run can bring in changes`,
    fix: 'make the change in a new run',
  }),
  'run-branch': ({ expected, actual }) => `the run branch is at ${actual} instead of ${expected}`,
  'merge-proof': () => 'the merger gave no proof',
  'delivery-address': ({ fault }) => addressFaults[fault],
  'delivery-redirected': ({ status }) => `answered ${status}; redirects are not followed`,
  'delivery-endless': () => 'the answer does not end',
  'delivery-late': ({ seconds }) => `no answer within ${seconds} s`,
  'delivery-cut-short': () => 'cancelled before an answer came',
  'delivery-unreachable': ({ code }) => `cannot be reached${code === null ? '' : ` (${code})`}`,
  'delivery-refused': ({ status }) => `answered ${status}`,
  'token-unset': ({ variable }) => `${variable} is not set`,
  'token-unfit': ({ variable }) => `${variable} is not a valid token`,
  'thread-without-id': () => 'the answer has no id',
  'thread-log': ({ code }) => `cannot be written (${code})`,
};

function missingText({ tasks, why, run, branch }: FindingOf<'wave-missing'>): string {
  const [is, was, has, them] =
    tasks.length === 1 ? (['is', 'was', 'has', 'it'] as const) : (['are', 'were', 'have', 'them'] as const);
  const names = few(tasks);
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
      return `${names} ${was} dropped in ${run}, and later tasks need ${them}`;
    case 'on-branch':
      return `${names} of ${run} ${is} only on ${branch}`;
    case 'not-in-base':
      return `the branch no longer contains what landed for ${names} in ${run}`;
  }
}

function missingFix({ why, run, branch = '', next, file }: FindingOf<'wave-missing'>): string {
  switch (why) {
    case 'unlanded':
      return `tidegate land ${run}`;
    case 'unfinished':
      return `tidegate why ${run}`;
    case 'on-branch':
      return `git merge ${shellWord(branch)}`;
    default:
      return `tidegate run ${shellPath(file)} --wave ${next + 1}`;
  }
}

const proofFaults: Readonly<Record<ProofFault, string>> = {
  absent: 'was not left',
  'not-a-file': 'is not a plain file',
  empty: 'is empty',
  unreadable: 'cannot be read',
  unchanged: 'was there before and was not written by this attempt',
  withheld: 'was not taken',
};

const unprovenNeeds: Readonly<Record<GateRules['level-unproven']['needs'], string>> = {
  check: 'no check has passed on this tree',
  proof: 'no declared proof was taken for it',
};

const proofGaps: Readonly<Record<FindingOf<'proof-open'>['code'], (task: string, level: string) => string>> = {
  'missing-proof-bundle': (task, level) => `${task} has no ${level} proof`,
  'stale-proof-bundle': (task, level) => `the ${level} proof of ${task} is for an earlier snapshot`,
  'proof-revoked': (task, level) => `the ${level} proof of ${task} was revoked`,
  'proof-level-gap': (task, level) => `the proof of ${task} is below the level ${level}`,
};

const componentGaps: Readonly<
  Record<FindingOf<'component-open'>['code'], (component: string, level: string, tasks: string) => string>
> = {
  'shared-component-sibling-pending': (component, level, tasks) => `${component} reaches ${level} only with ${tasks}`,
  'component-promotion-gap': (component, level, tasks) => `${component} cannot reach ${level} without ${tasks}`,
  'component-current-level-stale': (component, level) =>
    `${component} cannot reach ${level}, because an earlier wave did not promote it`,
  'component-proof-missing': (component, level) => `no proof says that ${component} has reached ${level}`,
  'missing-component-promotions': (component, level) => `${component} was to reach ${level} and has not`,
};

/** Says what keeps the wave open although the word of the report would let it close. */
function reportGap(code: string): string {
  const [, of, said] = /^(?:gate|deploy)-(.+?)-(rolled-back|[a-z]+)$/.exec(code) ?? [];
  return of === undefined ? (reportGaps[code] ?? code) : `${said} for ${of}`;
}

const reportGaps: Readonly<Record<string, string>> = {
  'invalid-security-clear-state': 'has findings or asks for approvals',
  'cont-eval-regressions': 'there are regressions',
  'missing-cont-eval-target-ids': 'names no target',
  'cont-eval-target-mismatch': 'its targets are not those of the plan',
  'missing-cont-eval-benchmarks': 'names no benchmark',
  'cont-eval-benchmark-mismatch': 'its benchmarks are not those of the plan',
};

function goneText({ side, from, to, back, mode }: FindingOf<'hunk-gone'>): string {
  const whose = side === 'theirs' ? 'the task' : 'the other tasks';
  if (mode !== undefined) return `the result lacks mode ${mode} of ${whose}`;
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  return back === true
    ? `the result has lines again that ${whose} removed at ${lines}`
    : `the result lacks ${lines} of ${whose}`;
}
