import { addressFaults } from '../../base/web-address.ts';
import type { ThreadRules } from '../../findings/run/thread-rules.ts';
import type { Sentences } from '../sentence.ts';

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
