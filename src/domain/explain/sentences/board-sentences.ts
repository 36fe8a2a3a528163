import type { BoardRules } from '../../findings/board-rules.ts';
import { answerQuestion } from '../commands.ts';
import type { Sentences } from '../sentence.ts';

export const boardSentences: Sentences<BoardRules> = {
  'post-poster': ({ kind, posts }) =>
    `a record of the kind ${kind} can be posted by ${posts.map(poster).join(' and ')} only`,
  'orchestrator-only': () => 'the orchestrator can post orchestrator-guidance, read the board, and do nothing else',
  'guidance-reader': ({ named }) =>
    `guidance is for a task of this run, for all, or for a capability that a task has; ${named} is none of these`,
  'post-priority': ({ priorities }) => `the priority must be one of ${priorities.join(', ')}`,
  'post-confidence': ({ confidences }) => `the confidence must be one of ${confidences.join(', ')}`,
  'post-reference': ({ limit }) =>
    `references must be at most ${limit} paths, components (component:name), tasks (task:name) or records (record:3)`,
  'post-depends': () => 'a record can only depend on records of the board, by number',
  'record-unknown': ({ record }) => `record ${record} is neither for this task nor from it`,
  'record-act': ({ acts }) => `the act must be one of ${acts.join(', ')}`,
  'record-for-people': ({ record, act }) => `record ${record}: only a person can ${deeds[act]}`,
  'record-for-other': ({ record, act, to }) =>
    `record ${record} is for ${to === 'person' ? 'a person' : to === 'all' ? 'all tasks' : to}, so this task cannot ${deeds[act]}`,
  'record-of-other': ({ record, act }) => `record ${record} is from somebody else, so this task cannot ${deeds[act]}`,
  'record-depends': ({ record, records }) =>
    `record ${record} depends on ${records.length === 1 ? 'record' : 'records'} ${records.join(', ')}, still open`,
  'record-status': ({ record, act, status }) => `record ${record} is ${status}, so nobody can ${deeds[act]}`,
  'record-reason': ({ act }) =>
    act === 'answer' ? 'an answer is needed; add -m "answer"' : `words are needed to ${deeds[act]}; add -m "reason"`,
  'repository-target': () => ({
    detail: 'a record of the repository is for all or for a person',
    fix: 'to write to one task: tidegate post <run>/<task> -m "…"',
  }),
  'record-target': () => 'say who gets it: --to <task> or --to person',
  'record-task-over': ({ task }) => `${task} cannot get it: it is finished, dropped or a closure role`,
  'open-record': ({ run, record, kind, to }) => ({
    detail: `${kind} ${record} is open${to === undefined ? '' : `; it is for ${to}`}`,
    fix: answerQuestion(run, record),
  }),
  'open-unassignable': ({ run, record, kind, named, reason }) => ({
    detail: `${kind} ${record} is for ${reason === 'no-owner' ? 'the owner' : named}, ${unassignable[reason]}`,
    fix: `tidegate record ${run}/${record} reassign --to <task>`,
  }),
};

const unassignable = {
  'no-task': 'which is no task of this run',
  'task-over': 'which can do nothing more',
  'no-capability': 'and no task of this run has that capability',
  'no-owner': 'and no task of this run owns what it refers to',
} as const;

const deeds = {
  acknowledge: 'acknowledge it',
  start: 'start it',
  answer: 'answer it',
  resolve: 'resolve it',
  escalate: 'escalate it',
  cancel: 'cancel it',
  dismiss: 'dismiss it',
  reassign: 'reassign it',
  defer: 'defer it',
  advisory: 'make it advisory',
  stale: 'mark it stale',
} as const;

const poster = (name: BoardRules['post-poster']['posts'][number]): string =>
  ({
    agent: 'agents',
    integration: 'the integration role',
    person: 'people',
    rule: 'Tidegate itself',
    orchestrator: 'the resident orchestrator',
  })[name];
