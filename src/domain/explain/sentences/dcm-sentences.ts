import type { SessionRules } from '../../findings/dcm-rules.ts';
import type { Sentences } from '../sentence.ts';

export const sessionSentences: Sentences<SessionRules> = {
  'session-unknown-wave': ({ wave }) => ({
    detail: `there is no wave ${wave}`,
    fix: 'create it, or submit a batch to it',
  }),
  'session-unknown-batch': ({ batch }) => `there is no batch ${batch}`,
  'session-unknown-subtask': ({ subtask }) => `there is no subtask ${subtask}`,
  'session-unfinished-wave': ({ wave, status, empty, next }) => {
    const then = next === null ? 'there is nothing to go on from' : `wave ${next} would overtake it`;
    return empty
      ? {
          detail: `wave ${wave} is ${status} and has no tasks: ${then}`,
          fix: `submit a batch to wave ${wave}, or start ${status === 'pending' ? 'it' : 'the next wave by its number'} to go on without`,
        }
      : { detail: `wave ${wave} is ${status}: ${then}`, fix: `finish the subtasks of wave ${wave}` };
  },
  'session-ended-wave': ({ wave, status, action }) =>
    action === 'start'
      ? `wave ${wave} is ${status}: it does not start again`
      : { detail: `wave ${wave} is ${status}: nothing can be added to it`, fix: 'submit to a later wave' },
  'session-late-wave': ({ wave, begun }) => ({
    detail: `wave ${begun} has begun: wave ${wave} cannot come before it any more`,
    fix: 'take a higher number',
  }),
  'session-no-next-wave': ({ failed, next }) =>
    failed === null
      ? { detail: 'no wave was completed yet', fix: next === null ? 'create one' : `start wave ${next}` }
      : {
          detail: `wave ${failed} failed, and is not passed over by itself`,
          fix:
            next === null
              ? 'create a wave and start it by its number'
              : `start wave ${next} by its number to go on without it`,
        },
  'session-settled-subtask': ({ status }) => ({ detail: `it is ${status}, for good`, fix: 'submit a new task' }),
  'session-bad-transition': ({ from, to, allowed }) => `from ${from} it can become ${allowed.join(', ')}; not ${to}`,
  'session-blocked': ({ by }) => ({
    detail: `it is blocked by ${by.map(({ subtask, status }) => `${subtask} (${status})`).join(', ')}`,
    fix: 'these have to be completed first',
  }),
  'session-bad-blocker': (finding) =>
    finding.fault === 'unknown'
      ? {
          detail: `${finding.task} is blocked by ${finding.blocker}, which is no subtask here`,
          fix: 'give ids of subtasks of this session',
        }
      : `${finding.task} is in wave ${finding.wave} and would wait for ${finding.blocker}, which is in wave ${finding.later}`,
  'session-cycle': ({ ring }) => `these wait for each other: ${ring.join(' -> ')}`,
  'session-unfinished-batch': ({ open }) => ({
    detail: `${open.length} of its subtasks are not finished: ${open.map(({ subtask, status }) => `${subtask} (${status})`).join(', ')}`,
    fix: 'finish them, or send {"fail_unfinished": true} to give them up',
  }),
  'session-secret': ({ kind }) => ({
    detail: `it holds what looks like a secret (${kind})`,
    fix: 'leave it out: nothing secret is recorded',
  }),
  'session-key-reused': () => ({
    detail: 'this Idempotency-Key was given with something else',
    fix: 'take a new key',
  }),
};
