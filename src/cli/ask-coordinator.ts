import type { RequestEvent } from '../domain/events.ts';
import { describeWithFix, explain } from '../domain/explain/explain.ts';
import type { RunId } from '../domain/ids.ts';
import { type Answered, ask } from '../engine/ask.ts';
import type { Desk } from '../ports/desk.ts';
import { exitCodes, type Outcome } from './command.ts';
import { failed } from './desk.ts';
import type { MadeRun } from './subject.ts';

/** The outcome of a command that is one request. */
export async function askOnce(desk: Desk, subject: MadeRun, request: RequestEvent, said: string): Promise<Outcome> {
  return outcomeOf(subject.run, await ask(desk, subject, request), said);
}

export function outcomeOf(run: RunId, answered: Answered, said: string): Outcome {
  switch (answered.outcome) {
    case 'accepted':
      return { exit: exitCodes.done, reason: 'done', lines: [said], data: { run } };
    case 'refused': {
      const message = describeWithFix(answered.because);
      // where nothing is said about what to do, a look at the run helps
      const way = explain(answered.because).fix === undefined ? `; see tidegate why ${run}` : '';
      return { ...failed('refused', `refused: ${message}${way}`), data: { run, message } };
    }
    case 'halted': {
      const message = explain(answered.because).detail;
      return {
        exit: exitCodes.personNeeded,
        reason: 'halted',
        needs: [{ kind: 'halted', task: null, message, command: `tidegate resume ${run}` }],
        problems: [`tidegate: halted: ${message}. What was asked is done by: tidegate resume ${run}`],
        data: { run },
      };
    }
    case 'no-answer':
      return {
        exit: exitCodes.noAnswer,
        reason: 'no-answer',
        problems: [
          `tidegate: no coordinator answers; the request is recorded and is answered by: tidegate resume ${run}`,
        ],
        data: { run },
      };
  }
}
