import type { DcmRules } from '../../findings/dcm-rules.ts';
import type { Sentences } from '../sentence.ts';

export const dcmSentences: Sentences<DcmRules> = {
  'session-unknown-wave': ({ wave }) => ({
    detail: `there is no wave ${wave}`,
    fix: 'create it, or submit a batch to it',
  }),
  'session-unknown-batch': ({ batch }) => `there is no batch ${batch}`,
  'session-unknown-subtask': ({ subtask }) => `there is no subtask ${subtask}`,
  'session-unfinished-wave': ({ wave, status, empty, next }) => {
    const effect = next === null ? 'no wave can follow it yet' : `wave ${next} cannot start before it`;
    return empty
      ? {
          detail: `wave ${wave} is ${status} and has no tasks: ${effect}`,
          fix: `submit a batch to wave ${wave}, or start ${status === 'pending' ? 'it' : 'the next wave by its number'} to skip it`,
        }
      : { detail: `wave ${wave} is ${status}: ${effect}`, fix: `finish the subtasks of wave ${wave}` };
  },
  'session-ended-wave': ({ wave, status, action }) =>
    action === 'start'
      ? `wave ${wave} is ${status} and cannot start again`
      : { detail: `wave ${wave} is ${status} and takes no more tasks`, fix: 'submit to a later wave' },
  'session-late-wave': ({ wave, begun }) => ({
    detail: `wave ${begun} has started, so wave ${wave} can no longer come before it`,
    fix: 'use a higher number',
  }),
  'session-no-next-wave': ({ failed, next }) =>
    failed === null
      ? { detail: 'no wave has completed yet', fix: next === null ? 'create one' : `start wave ${next}` }
      : {
          detail: `wave ${failed} failed, and a transition does not skip a failed wave`,
          fix:
            next === null
              ? 'create a wave and start it by its number'
              : `start wave ${next} by its number to continue without it`,
        },
  'session-settled-subtask': ({ status }) => ({
    detail: `it is already ${status}, which is final`,
    fix: 'submit a new task',
  }),
  'session-bad-transition': ({ from, to, allowed }) =>
    `it cannot go from ${from} to ${to}, only to ${allowed.join(', ')}`,
  'session-blocked': ({ by }) => ({
    detail: `it is blocked by ${by.map(({ subtask, status }) => `${subtask} (${status})`).join(', ')}`,
    fix: 'complete these first',
  }),
  'session-bad-blocker': (finding) =>
    finding.fault === 'unknown'
      ? {
          detail: `${finding.task} is blocked by ${finding.blocker}, which is not a subtask of this session`,
          fix: 'send ids of subtasks of this session',
        }
      : `${finding.task} is in wave ${finding.wave} and cannot wait for ${finding.blocker}, which is in wave ${finding.later}`,
  'session-cycle': ({ ring }) => `these wait for each other: ${ring.join(' -> ')}`,
  'session-unfinished-batch': ({ open }) => ({
    detail: `${open.length} of its subtasks are not finished: ${open.map(({ subtask, status }) => `${subtask} (${status})`).join(', ')}`,
    fix: 'finish them, or send {"fail_unfinished": true} to fail them',
  }),
  'session-secret': ({ kind }) => ({
    detail: `it contains what looks like a secret (${kind})`,
    fix: 'remove it: secrets are never recorded',
  }),
  'session-key-reused': () => ({
    detail: 'this Idempotency-Key was used for a different request',
    fix: 'use a new key',
  }),
};
