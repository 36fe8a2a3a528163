import type { DcmRules } from '../../findings/dcm-rules.ts';
import type { Sentences } from '../sentence.ts';

export const dcmSentences: Sentences<DcmRules> = {
  'session-unknown-wave': ({ wave }) => ({
    detail: `wave ${wave} does not exist`,
    fix: 'create it, or submit a batch to it',
  }),
  'session-unknown-batch': ({ batch }) => `batch ${batch} does not exist`,
  'session-unknown-subtask': ({ subtask }) => `subtask ${subtask} does not exist`,
  'session-unfinished-wave': ({ wave, status, empty, next }) => {
    const then = next === null ? 'no wave can follow it yet' : `wave ${next} cannot start before it ends`;
    return empty
      ? {
          detail: `wave ${wave} is ${status} and has no tasks: ${then}`,
          fix: `submit a batch to wave ${wave}, or start ${status === 'pending' ? 'it' : 'the next wave by its number'} to continue without tasks`,
        }
      : { detail: `wave ${wave} is ${status}: ${then}`, fix: `finish the subtasks of wave ${wave}` };
  },
  'session-ended-wave': ({ wave, status, action }) =>
    action === 'start'
      ? `wave ${wave} is ${status} and cannot start again`
      : { detail: `wave ${wave} is ${status} and takes no more tasks`, fix: 'submit to a later wave' },
  'session-late-wave': ({ wave, begun }) => ({
    detail: `wave ${wave} cannot be created, because wave ${begun} has already started`,
    fix: 'use a higher number',
  }),
  'session-no-next-wave': ({ failed, next }) =>
    failed === null
      ? { detail: 'no wave has been completed yet', fix: next === null ? 'create one' : `start wave ${next}` }
      : {
          detail: `wave ${failed} failed and is not skipped automatically`,
          fix:
            next === null
              ? 'create a wave and start it by its number'
              : `start wave ${next} by its number to continue without it`,
        },
  'session-settled-subtask': ({ status }) => ({
    detail: `the subtask is ${status}, which is final`,
    fix: 'submit a new task',
  }),
  'session-bad-transition': ({ from, to, allowed }) =>
    `the subtask is ${from} and cannot become ${to}; allowed: ${allowed.join(', ')}`,
  'session-blocked': ({ by }) => ({
    detail: `the subtask is blocked by ${subtasks(by)}`,
    fix: 'complete these first',
  }),
  'session-bad-blocker': (finding) =>
    finding.fault === 'unknown'
      ? {
          detail: `${finding.task} is blocked by ${finding.blocker}, which is not a subtask of this session`,
          fix: 'use ids of subtasks of this session',
        }
      : `${finding.task} is in wave ${finding.wave} but would wait for ${finding.blocker} in wave ${finding.later}`,
  'session-cycle': ({ ring }) => `these subtasks wait for each other: ${ring.join(' -> ')}`,
  'session-unfinished-batch': ({ open }) => ({
    detail: `${open.length} subtask${open.length === 1 ? ' is' : 's are'} not finished: ${subtasks(open)}`,
    fix: 'finish them, or send {"fail_unfinished": true} to mark them as failed',
  }),
  'session-secret': ({ kind }) => ({
    detail: `the request contains a secret (${kind})`,
    fix: 'remove it: secrets are never recorded',
  }),
  'session-key-reused': () => ({
    detail: 'this Idempotency-Key was already used with another request',
    fix: 'use a new key',
  }),
};

const subtasks = (list: readonly { readonly subtask: string; readonly status: string }[]): string =>
  list.map(({ subtask, status }) => `${subtask} (${status})`).join(', ');
