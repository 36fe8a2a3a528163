import { isDeepStrictEqual } from 'node:util';
import { recordsOf } from '../../src/domain/board/board.ts';
import { evolveRun, type RunState } from '../../src/domain/run/run.ts';
import type { Step } from '../../src/pipeline/step.ts';
import { steps } from '../../src/pipeline/steps.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

const isOfOrchestrator = ({ event }: Pick<Stored, 'event'>): boolean => event.type.startsWith('orchestrator-');

/**
 * I2, I9: the orchestrator starts only while a task of the approved plan runs, within its budget, one at a time, and it is no attempt.
 * After the run has ended nothing of it starts.
 */
export function checkOrchestrator(history: readonly Stored[]): readonly Violation[] {
  const found: Violation[] = [];
  const attempts = new Set<string>();
  const nonces = new Set<string>();
  let live: string | null = null;
  let isOver = false;
  for (const { seq, event } of history) {
    const say = (invariant: 'I2' | 'I9', what: string): number => found.push({ invariant, seq, what });
    if (event.type === 'attempt-intended') attempts.add(event.attempt);
    if (event.type === 'attempt-ended') attempts.delete(event.attempt);
    if (event.type === 'run-ended' || event.type === 'run-abandoned') isOver = true;
    if ('task' in event && event.task === 'orchestrator' && versionAt(history, seq).plan.orchestrator !== undefined)
      say('I2', `${event.type} takes the orchestrator for a task`);
    switch (event.type) {
      case 'orchestrator-intended': {
        const { plan, hash } = versionAt(history, seq);
        const approved = all(history, 'tap-decided').some(
          (tap) =>
            tap.seq < seq && tap.event.tap !== 'land' && tap.event.decision === 'approved' && tap.event.hash === hash,
        );
        if (plan.orchestrator === undefined || event.hash !== hash || !approved)
          say('I2', 'an orchestrator that nobody approved');
        if (
          plan.orchestrator !== undefined &&
          (event.usd > plan.orchestrator.usd || event.minutes > plan.orchestrator.minutes)
        )
          say('I2', 'an orchestrator beyond its budget');
        if (attempts.size === 0) say('I2', 'an orchestrator without a task that runs');
        if (live !== null || isOver) say('I9', 'a second orchestrator, or one after the end');
        if (nonces.has(event.nonce) || event.number > event.most) say('I2', `${event.attempt} is one too many`);
        nonces.add(event.nonce);
        live = event.attempt;
        break;
      }
      case 'orchestrator-started':
      case 'orchestrator-noted':
      case 'orchestrator-told':
        if (event.attempt !== live) say('I9', `${event.type} of ${event.attempt}, which is not running`);
        break;
      case 'orchestrator-ended':
        if (event.attempt !== live) say('I9', `${event.attempt} ends twice`);
        live = null;
        break;
      default:
        break;
    }
  }
  return found;
}

/**
 * A history without its orchestrator leads to the same decisions. Folds it with and without these events, and compares everything but
 * the board, at every event. What is left of the board is the same, too: records that wait, and what was done with them.
 */
export function checkWithoutOrchestrator(history: readonly Stored[]): readonly string[] {
  if (!history.some(isOfOrchestrator)) return [];
  const wrong: string[] = [];
  let guided: RunState | null = null;
  let alone: RunState | null = null;
  let isTouched = false;
  for (const record of history) {
    guided = evolveRun(guided, record);
    if (isOfOrchestrator(record)) isTouched = true;
    else alone = evolveRun(alone, record);
    if (!isTouched || guided === null || alone === null) continue;
    const [one, other] = [decidedBy(guided), decidedBy(alone)];
    if (!isDeepStrictEqual(one, other)) wrong.push(`${record.seq}: ${record.event.type} decides something else`);
  }
  return wrong;
}

function decidedBy(state: RunState) {
  const { orchestrator: _, board: ___, termsCount: __, ...rest } = state;
  const records = recordsOf(state).filter(({ kind }) => kind !== 'orchestrator-guidance');
  return { rest, records, due: steps(state, inputs).flatMap(nameOf) };
}

const inputs = { now: '2026-01-01T00:00:00.000Z', nonce: () => 'nonce' };

/** Sending the newest records to an agent decides nothing. */
function nameOf(step: Step): readonly string[] {
  if (step.kind === 'fact')
    return step.events[0]?.type.startsWith('orchestrator-') === true
      ? []
      : [step.events.map(({ type }) => type).join()];
  const { effect, key } = step;
  return effect.do === 'tell' || effect.do.includes('orchestrat') ? [] : [key];
}
