import type { FindingOf } from '../../findings/finding.ts';
import type { RequestRules } from '../../findings/request-rules.ts';
import type { TapName } from '../../ledger/requests.ts';
import { theRepository } from '../../repository/repository.ts';
import { reworkInstead } from '../commands.ts';
import { type Explain, type Sentences, withPlace } from '../sentence.ts';

export const requestSentences: Sentences<RequestRules> = {
  'run-unknown': () => 'there is no such run',
  'run-exists': ({ run }) => `the run ${run} already exists`,
  'run-ended': ({ outcome }) => `the run has ended (${outcome})`,
  'request-unknown': ({ type }) => `this version does not support ${type}`,
  'no-such-task': ({ run, task, known }) =>
    known === undefined
      ? `${run} has no task ${task}`
      : `${run} has no task ${JSON.stringify(task)}; its tasks are ${known.join(', ')}`,
  'task-removed': ({ task }) => `${task} is no longer in the plan`,
  'derived-void': ({ task, standsFor }) => `${task} counts no longer: ${standsFor} is not held as it was`,
  'derived-grant': ({ run, task, standsFor }) => ({
    detail: `${task} may change only the paths that it repairs`,
    fix: `work on the task itself: tidegate rework ${run}/${standsFor} -m "…"`,
  }),
  'derived-selected': ({ run, task, standsFor }) => ({
    detail: `${task} was made for ${standsFor} and is not selected by itself`,
    fix: `start it again: tidegate retry ${run}/${task}; or select its task: tidegate retry ${run} --only ${standsFor}`,
  }),
  'wave-closed': ({ wave }) => `wave ${wave + 1} is closed`,
  'not-kept': ({ run, task, path }) => ({
    detail: `${path} is not a kept file of ${run}/${task}`,
    fix: `list them: tidegate rescue ${run}/${task}`,
  }),
  'drop-merged': () => ({ detail: 'the task is already merged', fix: 'to revert it: tidegate undo' }),
  'task-status': ({ action, status }) => `${statusRules[action]}; it is ${status}`,
  'snapshot-outdated': ({ task, named, newest }) => ({
    detail: `${named.slice(0, 8)} is not the current snapshot of ${task}; ${newest === null ? 'it has none' : `the current one is ${newest.slice(0, 8)}`}`,
    fix: 'review it again: tidegate diff',
  }),
  'work-unproven': ({ task }) => ({
    detail: `the fence or the workspace of ${task} was not proven, so its work cannot be accepted`,
    fix: 'copy the files that you need by hand: tidegate rescue',
  }),
  'accept-needless': ({ run, task }) => ({
    detail: `${task} exited with 0 and handed off; something else holds it`,
    fix: `tidegate why ${run}/${task}`,
  }),
  'no-such-agent': ({ agent, known }) => `there is no agent ${agent}; choose one of ${known.join(', ')}`,
  'agent-without-command': ({ agent, task }) => `${agent} needs a command, but ${task} has none`,
  'raise-amount': () => 'the amount must be more than 0',
  'grant-conflict': ({ because }, explain) => {
    const { detail, ...advice } = explain(because);
    return { detail: `the grant would violate ownership: ${detail}`, ...advice };
  },
  'agent-not-running': ({ run, task, status, words }) => ({
    detail: `no agent is running for ${task}; it is ${status}`,
    fix: `instead: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'agent-takes-none': ({ run, task, agent, words }) => ({
    detail: `${agent} cannot receive messages while it runs`,
    fix: `when it has ended: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'agent-busy': ({ run, task, words }) => ({
    detail: `the agent of ${task} cannot receive messages now`,
    fix: `when it has ended: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'tap-absent': ({ tap }) => `nothing is waiting for the ${tapText(tap)} approval`,
  'tap-expired': ({ expired }) => ({
    detail: `the time to answer ended at ${expired}`,
    fix: 'start again with `tidegate run`',
  }),
  'tap-settled': ({ status, who }) => `already ${status} by ${who}`,
  'plan-outdated': () => ({
    detail: 'the answer is for another version of the plan',
    fix: 'review the plan again: tidegate show',
  }),
  'run-being-made': ({ run }) => ({ detail: `${run} is still being created`, fix: 'try again' }),
  'run-over': ({ run, outcome }) => `${run} has already ended (${outcome})`,
  'run-abandoned': ({ who }) => `${who} has abandoned the run; it ends when its running work has stopped`,
  'in-landing-queue': ({ run }) => ({ detail: `${run} is already landing`, fix: `see \`tidegate why ${run}\`` }),
  'already-landed': ({ run }) => `Already landed: ${run}`,
  'already-undone': ({ run, task }) => `Already undone: ${task === null ? run : `${run}/${task}`}`,
  'nothing-to-decide': ({ run, last }) =>
    `${run} is not waiting for a decision${last === null ? '' : `; the last one ${last.status === 'expired' ? 'expired' : `was ${last.status} by ${last.who}`}`}`,
  'other-plan': ({ run, asked, named }) => `${run} is waiting for approval of plan ${asked}, not ${named}`,
  'same-plan': ({ run, file }) => `${run} already has this plan: neither ${file} nor the configuration has changed`,
  'choice-twice': () => 'choose tasks with only or with except, not both',
  'run-landed': () => 'the run has already landed',
  'nothing-landed': () => 'nothing of this run has landed',
  'nothing-merged': () => 'nothing was merged, so there is nothing to land',
  'nothing-to-land': () => 'there is nothing to land yet',
  'branch-moving': () => 'the branch is being moved',
  'task-not-landed': ({ task }) => `${task} has not landed`,
  'task-landed': ({ task }) => `${task} has already landed`,
  'task-not-merged': ({ task, status }) => `${task} is not merged${status === undefined ? '' : `; it is ${status}`}`,
  'no-task-left': () => 'this leaves no task to land',
  'need-not-chosen': ({ task, need }) => `${task} needs ${need}: land both or neither`,
  'need-undone': ({ task, need, branch }) => `${task} needs ${need}, which was reverted on ${branch}`,
  'lands-as-a-whole': () =>
    'with `land: branch` or `land: pr` the whole run becomes one branch; pick the commits you want from it',
  'wave-open': ({ wave }) => `wave ${wave + 1} builds on everything merged so far and is not closed yet`,
  'post-kind': ({ kinds }) => `the kind must be one of ${kinds.join(', ')}`,
  'post-severity': ({ severities }) => `the severity must be one of ${severities.join(', ')}`,
  'post-target': () => 'the target must be a task, person or all',
  'post-empty': () => 'the message is empty',
  'post-long': ({ limit }) => `the message has more than ${limit} characters`,
  'no-such-record': ({ run, record }) =>
    run === theRepository
      ? { detail: `the board of the repository has no record ${record}`, fix: 'tidegate board --repository' }
      : { detail: `the board of ${run} has no record ${record}`, fix: `tidegate board ${run}` },
  'role-request': ({ run, task, ended }) =>
    ended === true
      ? { detail: `${task} is a closure role, and the run has ended: there is nothing to drop`, fix: 'tidegate clean' }
      : {
          detail: `${task} is a closure role; it can only run again or be resolved`,
          fix: `tidegate retry ${run}/${task}, or tidegate resolve ${run}/${task} -m "reason"`,
        },
  'role-not-open': ({ task }) => `no candidate waits for ${task}`,
  'proof-subject': ({ task }) => `${task} has no snapshot to prove`,
  'proof-landed': ({ task }) => `${task} has landed, so a proof changes nothing`,
  'proof-attestation': () => 'a proof needs your attestation; add -m "what you saw"',
  'proof-reason': () => 'a proof is revoked with a reason; add -m "reason"',
  'proof-level': ({ level, levels }) => `${JSON.stringify(level)} is no level of a proof; use ${levels.join(', ')}`,
  'proof-artifacts': ({ most }) => `a proof has 1 to ${most} artifacts; add --file <path> or --url <address>`,
  'proof-artifact': ({ artifact }) =>
    `${artifact} must be a file that is not empty, or an address (http:// or https://), with the SHA-256 of its content`,
  'proof-file': ({ file, fault, bytes = 0, shape = '' }) => {
    if (fault === 'unreadable') return `${file} is not a file that can be read`;
    return fault === 'secret' ? `${file} contains a secret (${shape})` : `${file} is larger than ${bytes / 1e6} MB`;
  },
  'proof-component': ({ task, component }) => `${task} does not promote the component ${component} to this level`,
  'no-such-bundle': ({ run, bundle, known }) => ({
    detail: `${run} has no proof ${bundle}${known.length === 0 ? '' : `; it has ${known.join(', ')}`}`,
    fix: `tidegate proof list ${run}`,
  }),
  'bundle-settled': ({ bundle, state }) => `the proof ${bundle} is already ${state}`,
  'bundle-of-other-task': ({ bundle, task }) => `the proof ${bundle} is for another task than ${task}`,
  'bundle-landed': ({ run, bundle, task }) => ({
    detail: `the proof ${bundle} cannot be revoked, because ${task} has landed`,
    fix: `to revert the task: tidegate undo ${run}/${task}`,
  }),
  'resolve-reason': () => 'a barrier is resolved with a reason; add -m "reason"',
  'no-such-barrier': ({ run, barrier, open }) => ({
    detail: `${barrier} does not keep the wave open${open.length === 0 ? '' : `; open are ${open.join(', ')}`}`,
    fix: `tidegate why ${run} --all`,
  }),
  'record-settled': ({ record, status }) => `record ${record} needs no answer; it is ${status}`,
  replan: replanFault,
  'replan-behind': () => ({
    detail: 'the plan was replaced in the meantime',
    fix: 'review the plan again: tidegate show',
  }),
  'tasks-running': ({ run, tasks }) => ({
    detail: `${tasks.join(', ')} ${tasks.length === 1 ? 'is' : 'are'} running`,
    fix: `first: tidegate stop ${run}`,
  }),
  'undo-under-way': () => ({ detail: 'an undo is in progress', fix: 'try again when it has finished' }),
  'landing-under-way': () => ({ detail: 'a landing is in progress', fix: 'try again when it has finished' }),
  'wave-integrating': ({ run, wave }) => ({
    detail: `wave ${wave + 1} is being integrated`,
    fix: `try again when it has finished, or first: tidegate stop ${run}`,
  }),
  'run-branch-moving': ({ run }) => ({
    detail: 'the run branch is being moved',
    fix: `first: tidegate resume ${run}`,
  }),
};

/** Returns the name of a tap for people, who count waves from 1. */
const tapText = (tap: TapName): string => tap.replace(/^start-(\d+)$/, (_, wave) => `wave ${Number(wave) + 1}`);

const statusRules: Readonly<Record<FindingOf<'task-status'>['action'], string>> = {
  'drop-paths': 'paths can be dropped only from a held task',
  retry: 'only a held, failed or dropped task can be retried',
  select: 'only a ready, held, failed or dropped task can be selected',
  rework: 'only a held, failed or ready task can be reworked',
  accept: 'only a held or failed task can be accepted',
  edit: 'only a held, failed or ready task can be edited',
};

function replanFault(finding: FindingOf<'replan'>, explain: Explain): string {
  switch (finding.fault) {
    case 'base':
      return `${finding.run} started on ${finding.base} and lands there, but the plan says ${finding.asked}`;
    case 'task-merged':
      return `${finding.task} is merged, so the plan must keep it in wave ${finding.wave + 1}`;
    case 'wave-begun':
      return `wave ${finding.wave + 1} has started, so the plan must keep it`;
    case 'wave-closed':
      return `wave ${finding.wave + 1} is closed, so the plan must keep exactly its tasks`;
    case 'other-wave':
      return `${finding.run} runs only wave ${finding.wave + 1}, so the other waves cannot change`;
    case 'all-closed':
      return 'every wave is closed, so no task is left to do';
    case 'mistakes':
      return finding.findings.map((one) => withPlace(one, explain(one).detail)).join('; ');
  }
}
