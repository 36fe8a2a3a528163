import type { Finding } from '../findings/finding.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { answer } from './answer.ts';

/** The halt that keeps a request from being answered; null when there is none. A halted run only ends agents and removes files. */
export function waitsForResume(state: RunState, request: RequestEvent): Finding | null {
  if (state.mode.mode !== 'halted' || request.type === 'requested-discard') return null;
  const task = request.type === 'requested-drop' ? state.tasks[request.task]?.progress.status : undefined;
  if (task === 'launching' || task === 'running' || task === 'ended') return null;
  const decided = answer(state, request);
  return decided.ok && decided.value === 'later' ? state.mode.because : null;
}
