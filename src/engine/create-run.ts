import { startTap } from '../domain/decide-tap.ts';
import type { RunEvent } from '../domain/events.ts';
import type { RepoAttestation } from '../domain/evidence.ts';
import type { Context } from '../domain/judge.ts';
import { allTasks } from '../domain/plan.ts';
import type { By, RunOrder, TapName } from '../domain/requests.ts';
import type { RunState } from '../domain/run.ts';
import { passes } from '../domain/verdict.ts';
import { contract } from '../pipeline/contract.ts';
import { load } from '../pipeline/load.ts';

/** The first events of a run: its order, and what phases 000 and 0 say of it. Stored in one append. */
export function createRun(
  order: RunOrder,
  by: By,
  seen: { readonly openWaves: readonly number[]; readonly actual: RepoAttestation },
): readonly RunEvent[] {
  const context: Context = { plan: order.plan, hash: order.hash, granted: [] };
  const { run, planFile, wave } = order;
  const judgedContract = contract(context, { run, planFile, planExists: true, wave, openWaves: seen.openWaves });
  const judgedLoad = load(context, {
    findings: [],
    tasks: allTasks(order.plan).length,
    expected: order.repo,
    actual: seen.actual,
  });
  const created: RunEvent = { type: 'run-created', by, ...order };
  const approved = approvals(order, by);
  const refused = !passes(judgedContract.verdicts) || !passes(judgedLoad.verdicts);
  return refused
    ? [created, judgedContract, judgedLoad, { type: 'run-ended', outcome: 'failed' }]
    : [created, judgedContract, judgedLoad, ...approved];
}

/** What was approved with the order stays approved, whatever becomes of the terminal that it came from. */
function approvals({ plan, hash, wave, approves }: RunOrder, { who }: By): readonly RunEvent[] {
  const waves = plan.waves.map((_, index) => index).filter((index) => wave === null || wave === index);
  const starts = new Set(waves.map((index) => startTap(plan, index)));
  const approved = (tap: TapName, via: By['via']): readonly RunEvent[] => [
    { type: 'tap-opened', tap, hash, expires: null },
    { type: 'tap-decided', tap, decision: 'approved', hash, by: { who, via } },
  ];
  return [
    ...(approves.includes('start') ? [...starts].flatMap((tap) => approved(tap, 'yes-flag')) : []),
    ...(approves.includes('land') ? approved('land', 'land-flag') : []),
  ];
}

/** Waves of this very plan that no run has closed. */
export function openWaves(order: RunOrder, runs: readonly (RunState | null)[]): readonly number[] {
  const closed = new Set(
    runs
      .flatMap((run) => (run?.hash === order.hash ? run.waves.filter((wave) => wave.closed) : []))
      .map((wave) => wave.index),
  );
  return order.plan.waves.map((_, index) => index).filter((index) => !closed.has(index));
}
