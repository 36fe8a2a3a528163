import type { HandoffMisfit, HandoffRules } from '../../findings/run/handoff-rules.ts';
import type { Sentences } from '../sentence.ts';

const kinds = {
  irregular: 'is not a regular file',
  link: 'is a symbolic link',
  socket: 'is a socket',
  unreadable: 'cannot be read',
} as const;

function misfitText(misfit: HandoffMisfit): string {
  switch (misfit.fault) {
    case 'not-object':
      return 'not an object';
    case 'status':
      return 'status must be done, partial or failed';
    case 'summary':
      return 'summary must have 1 to 4000 characters';
    case 'nonce':
      return 'nonce must be the value of TIDEGATE_NONCE';
    case 'unknown-key':
      return `unknown key ${JSON.stringify(misfit.key)}`;
    case 'list':
      return `${misfit.key} must be a list of at most 200 texts of at most 1000 characters`;
  }
}

export const handoffSentences: Sentences<HandoffRules> = {
  'handoff-directory': ({ where = 'its place' }) => `${where} is not a directory`,
  'handoff-file': ({ where = 'the handoff', kind }) => `${where} ${kinds[kind]}`,
  'handoff-size': ({ where = 'handoff', bytes, limit }) => `${where} has ${bytes} bytes, at most ${limit} are allowed`,
  'handoff-encoding': () => 'handoff is not valid UTF-8',
  'handoff-json': () => 'handoff is not JSON',
  'handoff-schema': (finding) => `handoff does not fit its schema: ${misfitText(finding)}`,
  'handoff-stale': () => 'the nonce is not that of this attempt (stale or forged)',
};
