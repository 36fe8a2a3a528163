import type { TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { Stored } from '../../ports/ledger.ts';
import { eventsOf, type History, type JudgedPhase, planInForce, type RecordedEvent } from './history.ts';

/** Every check passed on each of these trees, by the closure's evidence and by a record before it. Gives the records, or the gap. */
export function proveChecks(
  history: History,
  closure: RecordedEvent<JudgedPhase<'closure'>>,
  trees: readonly string[],
): Result<readonly Pick<Stored, 'position' | 'hash'>[], ProofGap> {
  const { plan, since } = planInForce(history);
  const { checks, before } = closure.event.evidence;
  const relied: Pick<Stored, 'position' | 'hash'>[] = [];
  for (const tree of trees)
    for (const { name } of plan.checks) {
      const isThis = (check: { readonly name: string; readonly tree: TreeId }) =>
        check.name === name && check.tree === tree;
      const claimed = [...checks, ...(before?.checks ?? [])].find(isThis);
      if (claimed?.outcome !== 'passed') return err({ gap: 'check-failed', check: name });
      const ran = eventsOf(history, 'check-ended').findLast(
        ({ position, event }) => position > since && position < closure.position && isThis(event.check),
      );
      if (ran?.event.check.outcome !== 'passed') return err({ gap: 'check-unrecorded', check: name });
      relied.push(ran);
    }
  return ok(relied);
}
