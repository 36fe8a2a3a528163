import { failedRunAdvice } from '../../domain/explain/ending.ts';
import { type Need, needsOf } from '../../domain/explain/needs.ts';
import { openUndo } from '../../domain/landing/landing-queue.ts';
import { pullRequestCommand } from '../../domain/landing/pull-request.ts';
import { plannedStates, type RunState } from '../../domain/run/run.ts';
import type { Text } from '../../ports/terminal.ts';
import { runDocument } from '../../view/document.ts';
import { adviceLines, type RunView, runView, standingLines } from '../../view/run-view.ts';
import { type Context, type ExitCode, exitCodes, type Outcome } from '../frame/command.ts';

/** Returns the outcome of a command that followed a run until it came to rest. */
export function settledOutcome(view: RunView, context: Pick<Context, 'json' | 'terminal'>): Outcome {
  const { exit, reason } = exitOf(view.state);
  // a pipe has every event already; on a terminal the drawn block is gone
  const lines = context.terminal.interactive ? runView(view) : standingLines(view);
  return {
    exit,
    reason,
    lines: [...lines, ...failureLines(view.state)],
    data: runDocument(view),
    // people see them in the lines, with their age
    needs: context.json ? [...needsOf(view.state), ...requestNeeds(view.state)] : [],
  };
}

function exitOf(state: RunState): { readonly exit: ExitCode; readonly reason: string } {
  const isUndoStuck = state.mode.mode === 'halted' && openUndo(state) !== null;
  if (state.ended === null || isUndoStuck)
    return { exit: exitCodes.personNeeded, reason: needsOf(state)[0]?.kind ?? 'person-needed' };
  // the landing was asked for after the end, and refused
  if (state.ended === 'done' && state.landing.status === 'refused')
    return { exit: exitCodes.personNeeded, reason: 'landing' };
  if (['failed', 'rejected', 'abandoned'].includes(state.ended)) return { exit: exitCodes.failed, reason: state.ended };
  if (state.landing.status === 'offered' && state.landing.url === null)
    return { exit: exitCodes.personNeeded, reason: 'pull-request' };
  const partial = plannedStates(state).some(({ progress }) => progress.status === 'dropped');
  return partial ? { exit: exitCodes.partial, reason: 'partial' } : { exit: exitCodes.done, reason: state.ended };
}

/** A pull request that nobody opened. Not in the inbox, because only the person knows when it is open. */
function requestNeeds({ landing, target }: RunState): readonly Need[] {
  if (landing.status !== 'offered' || landing.url !== null) return [];
  const command = pullRequestCommand(landing, target.branch);
  const message = `${landing.branch} is pushed to ${landing.pushed.remote}; its pull request is not open yet`;
  return [{ kind: 'landing', task: null, message, safe: `${target.branch} is unchanged`, command }];
}

function failureLines(state: RunState): readonly Text[] {
  if (state.ended !== 'failed') return [];
  const { message, ...told } = failedRunAdvice(state);
  return [`  ${message}`, ...adviceLines(told)];
}
