import type { Trouble } from '../tool-calls/agent-event.ts';
import { describeWithFix } from './explain.ts';

/** Everything known of a trouble besides its kind; empty when nothing is. */
export function describeTrouble({ words, retryMs, because }: Trouble): string {
  const ours = because === undefined ? '' : describeWithFix(because);
  return [ours, words, retryMs === undefined ? '' : `retry in ${retryMs} ms`].filter(Boolean).join(', ');
}
