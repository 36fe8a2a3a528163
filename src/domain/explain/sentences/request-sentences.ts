import type { RequestRules } from '../../findings/request-rules.ts';
import { reworkInstead } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { withPlace } from '../sentence.ts';

export const requestSentences: Sentences<RequestRules> = {
  'run-unknown': () => 'there is no run',
  'run-exists': ({ run }) => `the run ${run} exists`,
  'run-ended': ({ outcome }) => `the run has ended (${outcome})`,
  'request-unknown': ({ type }) => `this version does not know ${type}`,
  'no-such-task': ({ run, task, known }) =>
    known === undefined
      ? `${run} has no task ${task}`
      : `${run} has no task ${JSON.stringify(task)}; it has ${known.join(', ')}`,
  'task-removed': ({ task }) => `${task} is not in the plan any more`,
  'wave-closed': ({ wave }) => `wave ${wave} is closed`,
  'not-kept': ({ run, task, path }) => ({
    detail: `${path} is not a kept file of ${run}/${task}`,
    fix: `\`tidegate rescue ${run}/${task}\` lists those that it has`,
  }),
  'drop-merged': () => ({ detail: 'it is merged', fix: '`tidegate undo` takes it back' }),
  'task-status': ({ action, status }) => {
    switch (action) {
      case 'drop-paths':
        return `paths can be dropped from a held task; it is ${status}`;
      case 'retry':
        return `only a held, failed or dropped task can be retried; it is ${status}`;
      case 'rework':
        return `only a held, failed or ready task can be reworked; it is ${status}`;
      case 'accept':
        return `only a held or failed task can be accepted; it is ${status}`;
      case 'edit':
        return `only a held, failed or ready task can be edited; it is ${status}`;
    }
  },
  'snapshot-outdated': ({ task, named, newest }) => ({
    detail: `${task} is not at the snapshot ${named.slice(0, 8)}; ${newest === null ? 'it has none' : `its newest is ${newest.slice(0, 8)}`}`,
    fix: 'look at it again with `tidegate diff`',
  }),
  'work-unproven': ({ task }) => ({
    detail: `the fence or the workspace of ${task} was not proven, so its work cannot be taken`,
    fix: 'take what you need from it by hand: `tidegate rescue`',
  }),
  'accept-needless': ({ run, task }) => ({
    detail: `${task} exited with 0 and handed off; something else holds it`,
    fix: `tidegate why ${run}/${task}`,
  }),
  'no-such-agent': ({ agent, known }) => `there is no agent ${agent}; there are ${known.join(', ')}`,
  'agent-without-command': ({ agent, task }) => `${agent} needs a command, and ${task} has none`,
  'raise-amount': () => 'a budget is raised by more than nothing',
  'grant-conflict': ({ because }, explain) => {
    const { detail, ...advice } = explain(because);
    return { detail: `granting it would break ownership: ${detail}`, ...advice };
  },
  'agent-not-running': ({ run, task, status, words }) => ({
    detail: `no agent is running for ${task}; it is ${status}`,
    fix: `instead: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'agent-takes-none': ({ run, task, agent, words }) => ({
    detail: `${agent} takes no message while it works`,
    fix: `when it has ended: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'agent-busy': ({ run, task, words }) => ({
    detail: `the agent of ${task} takes no message now`,
    fix: `when it has ended: ${reworkInstead(`${run}/${task}`, words)}`,
  }),
  'tap-absent': ({ tap }) => `nothing waits for the ${tap} approval`,
  'tap-expired': ({ expired }) => ({
    detail: `the time to answer ran out at ${expired}`,
    fix: 'start it again with `tidegate run`',
  }),
  'tap-settled': ({ status, who }) => `already ${status} by ${who}`,
  'plan-outdated': () => ({
    detail: 'this answer is for another version of the plan',
    fix: 'look again with `tidegate show`',
  }),
  'run-being-made': ({ run }) => ({ detail: `${run} is only being made`, fix: 'ask again' }),
  'run-over': ({ run, outcome }) => `${run} has ended already (${outcome})`,
  'run-abandoned': ({ who }) => `${who} abandoned the run; it ends as soon as nothing of it is under way`,
  'in-landing-queue': ({ run }) => ({ detail: `${run} is landing already`, fix: `see \`tidegate why ${run}\`` }),
  'already-landed': ({ run }) => `Already landed: ${run}`,
  'already-undone': ({ run, task }) => `Already undone: ${task === null ? run : `${run}/${task}`}`,
  'nothing-to-decide': ({ run, last }) =>
    `${run} waits for no decision${last === null ? '' : `; the last ${last.status === 'expired' ? 'one expired' : `was ${last.status} by ${last.who}`}`}`,
  'other-plan': ({ run, asked, named }) => `${run} asks about plan ${asked}, not ${named}`,
  'same-plan': ({ run, file }) => `nothing changed in ${file} or the configuration; ${run} has that plan`,
  'choice-twice': () => 'name tasks by only or by except, not both',
  'run-landed': () => 'the run has landed',
  'nothing-landed': () => 'nothing of this run has landed',
  'nothing-merged': () => 'nothing was merged, so there is nothing to land',
  'nothing-to-land': () => 'nothing waits to be landed yet',
  'branch-moving': () => 'the branch is being moved',
  'task-not-landed': ({ task }) => `${task} has not landed`,
  'task-landed': ({ task }) => `${task} has landed already`,
  'task-not-merged': ({ task, status }) => `${task} is not merged${status === undefined ? '' : `; it is ${status}`}`,
  'no-task-left': () => 'nothing would be left to land',
  'need-not-chosen': ({ task, need }) => `${task} needs ${need}: land them together, or neither`,
  'need-undone': ({ task, need, branch }) => `${task} needs ${need}, which was taken back out of ${branch}`,
  'lands-as-a-whole': () =>
    'with `land: branch` or `land: pr` all of it becomes one branch; take from it what you want',
  'wave-open': ({ wave }) => `wave ${wave} builds on all that is merged, and is not closed yet`,
  'post-kind': ({ kinds }) => `the kind is one of ${kinds.join(', ')}`,
  'post-severity': ({ severities }) => `the severity is one of ${severities.join(', ')}`,
  'post-target': () => 'it is for a task, for person or for all',
  'post-empty': () => 'the message is empty',
  'post-long': ({ limit }) => `a message has at most ${limit} characters`,
  'no-such-record': ({ run, record }) => ({
    detail: `there is no record ${record} on the board of ${run}`,
    fix: `tidegate board ${run}`,
  }),
  'record-settled': ({ record, status }) => `record ${record} waits for no answer; it is ${status}`,
  replan: (finding, explain) => {
    switch (finding.fault) {
      case 'base':
        return `${finding.run} began on ${finding.base} and lands there; the plan says ${finding.asked}`;
      case 'task-merged':
        return `${finding.task} is merged: the plan has to keep it in wave ${finding.wave}`;
      case 'wave-begun':
        return `wave ${finding.wave} has begun: the plan has to keep it`;
      case 'wave-closed':
        return `wave ${finding.wave} is closed: the plan has to keep its tasks and give it no others`;
      case 'other-wave':
        return `${finding.run} is a run of wave ${finding.wave} alone: nothing of other waves can change`;
      case 'all-closed':
        return 'every wave is closed: nothing of the plan is left to do';
      case 'mistakes':
        return finding.findings.map((one) => withPlace(one, explain(one).detail)).join('; ');
    }
  },
  'replan-behind': () => ({ detail: 'the plan was replaced meanwhile', fix: 'look again with `tidegate show`' }),
  'tasks-running': ({ run, tasks }) => ({
    detail: `${tasks.join(', ')} ${tasks.length === 1 ? 'is' : 'are'} running`,
    fix: `first: tidegate stop ${run}`,
  }),
  'undo-under-way': () => ({ detail: 'a landing is being undone', fix: 'ask again when it has finished' }),
  'landing-under-way': () => ({ detail: 'a landing is under way', fix: 'ask again when it has finished' }),
  'wave-integrating': ({ run, wave }) => ({
    detail: `wave ${wave} is being integrated`,
    fix: `ask again when it has finished, or first: tidegate stop ${run}`,
  }),
  'run-branch-moving': ({ run }) => ({
    detail: 'the run branch is being moved',
    fix: `first: tidegate resume ${run}`,
  }),
};
