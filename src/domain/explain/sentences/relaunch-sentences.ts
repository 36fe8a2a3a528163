import type { RelaunchRules } from '../../relaunch/relaunch-rules.ts';
import type { AttemptOutcome } from '../../run/task.ts';
import type { Sentences } from '../sentence.ts';

export const relaunchSentences: Sentences<RelaunchRules> = {
  'relaunch-role': ({ wave, role, roles }) =>
    roles.length === 0
      ? `wave ${wave + 1} has no closure roles, so it cannot start from ${role}`
      : `wave ${wave + 1} has no closure role ${role}; it has ${roles.join(', ')}`,
  'relaunch-nothing': ({ run }) => ({
    detail: 'nothing of the open wave would run again',
    fix: `tidegate why ${run} --all`,
  }),
  'relaunch-empty': () => 'say what is to run again, with only, from or clear',
  'relaunch-phase': ({ phases }) => `the run can start again from ${phases.join(', ')}`,
  'next-selected': ({ who }) => `${who} selected it to start again`,
  'next-again': ({ outcome }) => outcomes[outcome],
  'next-first': () => 'it has not started yet',
  'next-continues': ({ components }) => `only ${components.join(', ')} keeps the wave open, and waits for it`,
  'next-barrier': ({ because }, explain) => explain(because).detail,
};

const outcomes: Readonly<Record<AttemptOutcome, string>> = {
  'ran-out': 'its last attempt ran out of time or turns',
  spiral: 'its last attempt repeated itself',
  strayed: 'its last attempt left its scope',
  interrupted: 'its last attempt was interrupted',
  rework: 'a rework was requested',
  rejected: 'its last attempt was not accepted',
};
