import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { RoundEntry } from '../../domain/gates/evidence.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { EarlierDefinitions } from '../../domain/landing/earlier-definitions.ts';
import { canonicalJson, closureOf, isReadOnly } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveChecks } from './checked.ts';
import { proveBundles, proveComponents, provePromoted } from './components.ts';
import { found, Gap, must, type Rely } from './gap.ts';
import { eventsOf, type History, judgedPhases, planInForce, runTip, waveInHistory } from './history.ts';
import { openRecordGap } from './records.ts';
import { proveRoles } from './roles.ts';
import { verifyEntry } from './verify-task.ts';
import { verifyWave } from './verify-wave.ts';

/**
 * Verifies that the ledger proves that this round may be merged: every phase passed, in order, for one plan hash, on exactly the
 * snapshots and the tree that are about to move the run branch. Written apart from the code that made those events, so that a
 * mistake there does not vouch for itself. `above` is the stream of the repository: a record that the run took over from there counts
 * only as a person posted it. Returns a digest over the records relied on, or the first gap.
 */
export function verifyChain(
  history: History,
  wave: number,
  round: number,
  above: History = [],
): Result<string, ProofGap> {
  const relied = new Map<number, string>();
  const rely = (stored: Pick<Stored, 'position' | 'hash'>) => relied.set(stored.position, stored.hash);
  try {
    verifyRound(history, { wave, round, above }, rely);
  } catch (error) {
    if (error instanceof Gap) return err(error.gap);
    throw error;
  }
  const hashes = [...relied].sort(([a], [b]) => a - b).map(([, hash]) => hash);
  return ok(createHash('sha256').update(hashes.join('\n')).digest('hex'));
}

function verifyRound(
  history: History,
  { wave, round, above }: { readonly wave: number; readonly round: number; readonly above: History },
  rely: Rely,
): void {
  const { plan, hash, since } = planInForce(history);
  must(eventsOf(history, 'run-created').length === 1, { gap: 'created-twice' });
  must(createHash('sha256').update(canonicalJson(plan)).digest('hex') === hash, { gap: 'plan-hash' });
  rely(found(history[0], { gap: 'empty-ledger' }));
  if (since > 0) rely(found(history[since - 1], { gap: 'plan-replaced-by-nothing' }));

  const approved = verifyWave(history, wave, rely);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  const opened = only(history, 'round-opened', isThis);
  const built = only(history, 'candidate-built', isThis);
  must(opened.position > since, { gap: 'round-plan' });
  rely(opened);
  rely(built);
  must(!eventsOf(history, 'round-abandoned').some(({ event }) => isThis(event)), {
    gap: 'round-abandoned',
    wave,
    round,
  });
  const tip = runTip(history.filter(({ position }) => position < opened.position));
  must(opened.event.base === tip, { gap: 'round-base', expected: tip ?? null, actual: opened.event.base });
  must(built.position > opened.position && built.event.base === opened.event.base, { gap: 'candidate-round' });

  const { steps } = built.event;
  const last = found(steps.at(-1), { gap: 'candidate-empty' });
  must(new Set(steps.map((step) => step.task)).size === steps.length, { gap: 'candidate-repeats' });
  for (const step of steps) {
    must(waveInHistory(plan, step.task) === wave, { gap: 'task-wave', task: step.task, wave });
    const entry = found(
      opened.event.tasks.find(({ task }) => task === step.task),
      { gap: 'task-not-in-round', task: step.task },
    );
    verifyEntry(history, entry, { approved, opened: opened.position, rely });
  }
  const completed = verifyGenerated(history, { last, built: built.position, isThis }, rely);
  const promoted = provePromoted(history, { ...completed, wave, round });
  if ('gap' in promoted) throw new Gap(promoted);
  const before = promoted.before ?? completed.before ?? built.event.before;
  promoted.relied.forEach(rely);
  const { top, position } = verifyExtended(history, { ...promoted, wave, isThis }, rely);
  const core = promoted.top.tree;
  verifyRecords(history, above, wave, isThis);
  verifyClosure(
    history,
    {
      ...{ wave, round, base: opened.event.base, top, core, before, steps },
      ...{ tasks: opened.event.tasks, opened: opened.position, built: position },
    },
    rely,
  );
}

/** No record kept the wave open when the merge was intended. What was posted since is for the next round. */
function verifyRecords(
  history: History,
  above: History,
  wave: number,
  isThis: (event: { wave: number; round: number }) => boolean,
): void {
  const intended = eventsOf(history, 'merge-intended').find(({ event }) => isThis(event))?.position;
  const before = intended === undefined ? history : history.filter(({ position }) => position < intended);
  const gap = openRecordGap(before, wave, above);
  if (gap !== null) throw new Gap(gap);
}

type Top = { readonly commit: CommitId; readonly tree: TreeId };

/** The commit that would become the run branch: the last step, or with generated files what their commands completed. */
function verifyGenerated(
  history: History,
  of: {
    readonly last: Top;
    readonly built: number;
    readonly isThis: (event: { wave: number; round: number }) => boolean;
  },
  rely: Rely,
): { readonly top: Top; readonly position: number; readonly before?: EarlierDefinitions | undefined } {
  const generated = Object.keys(planInForce(history).plan.generated);
  if (generated.length === 0) {
    const stray = eventsOf(history, 'candidate-completed').some(({ event }) => of.isThis(event));
    must(!stray, { gap: 'generated-unplanned' });
    return { top: of.last, position: of.built };
  }
  const ended = only(history, 'generator-ended', of.isThis);
  const completed = only(history, 'candidate-completed', of.isThis);
  const { ending } = ended.event;
  const snapshot = found(ended.event.snapshot, { gap: 'generated-unsnapshotted' });
  must(ending.reason === 'exited' && ending.code === 0, { gap: 'generated-failed' });
  must(snapshot.base === of.last.commit, { gap: 'generated-base' });
  const unsafe = [...snapshot.refused, ...snapshot.secrets].find(({ where }) => generated.includes(where ?? ''));
  must(unsafe === undefined, { gap: 'generated-unsafe', path: unsafe?.where ?? '', refused: unsafe?.rule ?? '' });
  const special = snapshot.diff.find(
    ({ path, newMode }) => generated.includes(path) && !['000000', '100644', '100755'].includes(newMode),
  );
  must(special === undefined, { gap: 'generated-special', path: special?.path ?? '' });
  must(of.built < ended.position && ended.position < completed.position, { gap: 'generated-order' });
  const { commit, tree, before } = completed.event;
  must((commit === of.last.commit) === (tree === of.last.tree), { gap: 'generated-empty-commit' });
  rely(ended);
  rely(completed);
  return { top: { commit, tree }, position: completed.position, before };
}

/** The commits of closure roles, each of a role of this wave that may change files, after what they stand on. */
function verifyExtended(
  history: History,
  of: {
    readonly top: Top;
    readonly position: number;
    readonly wave: number;
    readonly isThis: (event: { wave: number; round: number }) => boolean;
  },
  rely: Rely,
): { readonly top: Top; readonly position: number } {
  const roles = closureOf(planInForce(history).plan, of.wave);
  let { top, position } = of;
  for (const extended of eventsOf(history, 'candidate-extended').filter(({ event }) => of.isThis(event))) {
    const { task, snapshot, commit, tree } = extended.event;
    const role = roles.find(({ id }) => id === task);
    must(role !== undefined && !isReadOnly(role), { gap: 'role-unplanned', task });
    const proof = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task);
    const isProven = proof?.event.evidence.snapshot?.commit === snapshot && passes(proof.event.verdicts);
    // a role that was started again since may have changed something else
    const isAgain = eventsOf(history, 'role-opened').some(
      (one) => one.event.task === task && one.position > (proof?.position ?? 0),
    );
    must(isProven && !isAgain && extended.position > position, { gap: 'role-unjudged', task });
    rely(proof);
    rely(extended);
    top = { commit, tree };
    ({ position } = extended);
  }
  return { top, position };
}

/** The checks and gates of the wave, on exactly the commit that would become the run branch. */
function verifyClosure(
  history: History,
  of: {
    readonly wave: number;
    readonly round: number;
    readonly base: CommitId;
    /** The positions at which the round was opened, and at which the candidate was built or completed. */
    readonly opened: number;
    readonly built: number;
    readonly top: Top;
    /** The tree without what closure roles added. */
    readonly core: TreeId;
    /** The same candidate with the check definitions of the base. */
    readonly before: EarlierDefinitions | undefined;
    readonly tasks: readonly RoundEntry[];
    readonly steps: readonly { readonly task: TaskId }[];
  },
  rely: Rely,
): void {
  const closure = found(
    judgedPhases(history, 'closure').findLast(
      ({ event }) => event.wave === of.wave && event.evidence.round === of.round,
    ),
    { gap: 'closure-unjudged', wave: of.wave, round: of.round },
  );
  const { evidence } = closure.event;
  must(passes(closure.event.verdicts), { gap: 'closure-failed', wave: of.wave, round: of.round });
  must(closure.position > of.built, { gap: 'closure-early' });
  must(evidence.base === of.base, { gap: 'closure-base' });
  must(evidence.candidate === of.top.commit, { gap: 'closure-candidate' });
  must(evidence.tree === of.top.tree, { gap: 'closure-tree' });
  for (const { task } of of.steps) {
    const inRound = of.tasks.find((entry) => entry.task === task);
    const inClosure = evidence.tasks.find((entry) => entry.task === task);
    must(isDeepStrictEqual(inClosure, inRound), { gap: 'closure-task', task });
  }
  must(evidence.before?.tree === of.before?.tree, { gap: 'closure-tree' });
  const makers = of.tasks.filter(({ task }) => of.steps.some((step) => step.task === task));
  const isChecked = planInForce(history).plan.checks.length > 0;
  const checked = !isChecked
    ? ok([])
    : proveChecks(history, closure, {
        opened: of.opened,
        tasks: makers.map(({ task, by = task }) => by),
        top: of.top.tree,
        ...(of.before === undefined ? {} : { before: of.before.tree }),
      });
  if (!checked.ok) throw new Gap(checked.error);
  checked.value.forEach(rely);
  for (const proven of [
    proveBundles(history, closure, of),
    proveComponents(history, closure),
    proveRoles(history, closure, { core: of.core, whole: of.top.tree }),
  ]) {
    if ('gap' in proven) throw new Gap(proven);
    proven.forEach(rely);
  }
  rely(closure);
}

/** One and only one, so that nothing can be swapped in later. */
function only<T extends 'round-opened' | 'candidate-built' | 'generator-ended' | 'candidate-completed'>(
  history: History,
  type: T,
  isThis: (event: { wave: number; round: number }) => boolean,
) {
  const all = eventsOf(history, type).filter(({ event }) => isThis(event as { wave: number; round: number }));
  must(all.length === 1, { gap: 'event-count', event: type, count: all.length });
  return found(all[0], { gap: 'event-count', event: type, count: 0 });
}
