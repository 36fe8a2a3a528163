import { isDeepStrictEqual } from 'node:util';
import type { TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ProofGap, TaskGap } from '../../domain/findings/merger-rules.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import type { Stored } from '../../ports/ledger.ts';
import { eventsOf, type History, type JudgedPhase, planInForce, type RecordedEvent } from './history.ts';

type Taking = Extract<RunEvent, { type: 'task-accepted' | 'task-edited' }>;

/**
 * Whether what the gates read as a person's word on this attempt was recorded, is the last one, and was asked for by that person.
 * `between`: what happened after the attempt ended and before it was judged. Gives the records relied on.
 */
export function proveAcceptance(
  history: History,
  between: History,
  { task, evidence }: JudgedPhase<'monitor'>,
): Result<readonly Stored[], TaskGap> {
  const last = between.findLast(
    (stored): stored is RecordedEvent<Taking> & Stored => isTaking(stored.event) && stored.event.task === task,
  );
  if (last === undefined) return err('task-acceptance-unrecorded');
  const edit = eventsOf(between, 'task-edited').findLast(({ event }) => event.task === task);
  const snapshot = last.event.type === 'task-edited' ? last.event.snapshot.commit : last.event.snapshot;
  const claimed = { snapshot, who: last.event.by.who, edited: edit?.event.paths ?? [] };
  if (!isDeepStrictEqual(evidence.acceptance, claimed)) return err('task-acceptance-other');
  const relied: Stored[] = [];
  for (const taken of edit === undefined || edit.position === last.position ? [last] : [edit, last]) {
    if (taken.event.attempt !== evidence.attempt) return err('task-acceptance-other');
    const request = history.find(({ position, event }) => position < taken.position && isAskedBy(event, taken.event));
    if (request === undefined || !byHand.has(taken.event.by.via)) return err('task-acceptance-unasked');
    relied.push(request, taken);
  }
  return ok(relied);
}

const isTaking = (event: LedgerEvent): event is Taking =>
  event.type === 'task-accepted' || event.type === 'task-edited';

/** Nothing but a person's own asking takes work: no flag, no marker, no policy. */
export const byHand: ReadonlySet<By['via']> = new Set<By['via']>(['terminal', 'command', 'api']);

function isAskedBy(asked: LedgerEvent, taken: Taking): boolean {
  if (asked.type === 'requested-accept' && taken.type === 'task-accepted')
    return asked.task === taken.task && asked.snapshot === taken.snapshot && isDeepStrictEqual(asked.by, taken.by);
  if (asked.type !== 'requested-edit' || taken.type !== 'task-edited') return false;
  const { task, from, copy, by } = taken;
  return asked.task === task && asked.from === from && asked.copy === copy && isDeepStrictEqual(asked.by, by);
}

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
