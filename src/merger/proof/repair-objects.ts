import { isDeepStrictEqual } from 'node:util';
import {
  compareFiles,
  mergeForPerson,
  mustReadCommit,
  readChanges,
  readCommit,
  takeBack,
} from '../../adapters/git/write/index.ts';
import type { TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { sidesRules } from '../../domain/derived/sides.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import { judgeSides } from '../../domain/gates/work-gates.ts';
import type { RepairInputs } from '../../domain/ledger/derived-task-events.ts';
import { derivedIn } from './derived.ts';
import { eventsOf, type History, judgedPhases, planInForce } from './history.ts';

/** Verifies that a resolver started from both sides and nothing else, and that its result compares with them as recorded. */
export async function verifyRepairObjects(
  repository: string,
  history: History,
  task: TaskId,
): Promise<Result<null, ObjectGap>> {
  const inputs = derivedIn(history, task)?.event.inputs;
  const evidence = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task)?.event.evidence;
  const snapshot = evidence?.snapshot;
  const recorded = eventsOf(history, 'sides-compared').findLast(
    ({ event }) => event.task === task && event.snapshot === snapshot?.commit,
  )?.event;
  if (inputs === undefined || evidence === undefined || !snapshot || recorded === undefined)
    return err({ gap: 'snapshot-unrecorded', task });
  const { base, onto, snapshot: held, failing, paths } = inputs;
  const started = await readCommit(repository, snapshot.base);
  const isOfBoth = isDeepStrictEqual(started?.parents, [failing ?? onto, held]);
  const generated = new Set(Object.keys(planInForce(history).plan.generated));
  if (!isOfBoth || started?.tree !== (await treeToRepair(repository, inputs, generated)))
    return err({ gap: 'repair-base', task });
  const sides = await compareFiles(repository, { base, ours: onto, theirs: held, result: snapshot.commit }, paths);
  const { markers, gone, rules = 1 } = recorded;
  // a comparison by other rules cannot be equal: the gate has to pass by those in force
  const holds =
    rules === sidesRules
      ? isDeepStrictEqual(sides, { markers, gone })
      : judgeSides({ ...evidence, sides }).outcome === 'pass';
  return holds ? ok(null) : err({ gap: 'repair-sides', task });
}

/** The tree that failed, or both sides of a conflict. */
async function treeToRepair(
  repository: string,
  { base, onto, snapshot, failing }: RepairInputs,
  generated: ReadonlySet<string>,
): Promise<TreeId> {
  if (failing !== undefined) return (await mustReadCommit(repository, failing)).tree;
  const held = await mustReadCommit(repository, snapshot);
  const edits = generated.size === 0 ? [] : await readChanges(repository, base, snapshot);
  const dropped = edits.filter(({ path }) => generated.has(path));
  const theirs = dropped.length === 0 ? held : await takeBack(repository, held.tree, dropped);
  const { tree: ours } = await mustReadCommit(repository, onto);
  return (await mergeForPerson(repository, { base: await mustReadCommit(repository, base), ours, theirs })).tree;
}
