import type { ThreadRules } from '../findings/thread-rules.ts';
import { addressFaults } from '../web-address.ts';
import type { Sentences } from './explain.ts';

export const threadSentences: Sentences<ThreadRules> = {
  'post-address': ({ fault }) => addressFaults[fault],
  'post-redirected': ({ status }) => `answered ${status}: redirects are not followed`,
  'post-endless': () => 'its answer does not end',
  'post-late': ({ seconds }) => `no answer within ${seconds} s`,
  'post-cut-short': () => 'there was no time for an answer',
  'post-unreachable': ({ code }) => `cannot be reached${code === null ? '' : ` (${code})`}`,
  'post-answered': ({ status }) => `answered ${status}`,
  'token-unset': ({ variable }) => `${variable} is not set`,
  'token-unfit': ({ variable }) => `${variable} holds no token`,
  'thread-without-id': () => 'its answer has no id',
  'thread-log': ({ code }) => `cannot be written (${code})`,
};
