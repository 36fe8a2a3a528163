import { byName } from '../base/result.ts';
import { emptySequence } from '../base/sequence.ts';
import { noLanding } from '../landing/landing.ts';
import { noUndo } from '../landing/undo.ts';
import type { RunEvent } from '../ledger/events.ts';
import { everyTaskOf } from '../plan/plan.ts';
import { unjudged } from '../plan/plan-versions.ts';
import type { RunState } from './run.ts';
import { plannedTask } from './task.ts';

/** A run as it is created: nothing is judged, and every task waits. */
export function newRun(event: RunEvent & { readonly type: 'run-created' }): RunState {
  const tasks = event.plan.waves.flatMap((wave, index) =>
    everyTaskOf(wave).map((task) => [task.id, plannedTask(task, index)] as const),
  );
  return {
    run: event.run,
    plan: event.plan,
    hash: event.hash,
    planFile: event.planFile,
    target: { ...event.target, apart: false },
    only: event.wave,
    continues: event.continues ?? null,
    uncommitted: null,
    contract: null,
    load: null,
    waves: event.plan.waves.map((_, index) => unjudged(index)),
    tasks: byName(Object.fromEntries(tasks)),
    taps: {},
    began: null,
    branch: null,
    checks: {},
    landing: noLanding,
    undo: noUndo,
    providers: {},
    raised: 0,
    warned: null,
    board: emptySequence,
    termsCount: 0,
    kept: [],
    mode: { mode: 'active' },
    shortage: null,
    abandoned: null,
    ended: null,
    pending: [],
  };
}
