import { startTap } from '../../domain/decide/tap.ts';
import type { EarlierTask, RepoAttestation } from '../../domain/gates/evidence.ts';
import type { JudgeContext } from '../../domain/gates/judge.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { By, RunOrder, TapName } from '../../domain/ledger/requests.ts';
import { allTasks } from '../../domain/plan/plan.ts';
import { repoClaims } from '../../domain/plan/repo-claim.ts';
import { contract } from '../../pipeline/contract.ts';
import { load } from '../../pipeline/load.ts';

/** Looked up when a run is ordered and again when it is made. `earlier` is empty without `--wave`. */
export type SeenBefore = { readonly earlier: readonly EarlierTask[]; readonly actual: RepoAttestation };

/** The first events of a run: its order, and what phases 000 and 0 say of it. Stored in one append. */
export function createRun(order: RunOrder, by: By, seen: SeenBefore): readonly RunEvent[] {
  const context: JudgeContext = { plan: order.plan, hash: order.hash, granted: [] };
  const { run, planFile, wave } = order;
  const earlier = wave === null ? {} : { earlier: seen.earlier };
  const judgedContract = contract(context, { run, planFile, planExists: true, wave, ...earlier });
  const claims = repoClaims(order.plan);
  const judgedLoad = load(context, {
    findings: [],
    tasks: allTasks(order.plan).length,
    expected: order.repo,
    actual: seen.actual,
    ...(claims.length === 0 ? {} : { claims }),
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
