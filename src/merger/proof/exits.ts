import { exitLevels, exitParts } from '../../domain/closure/exit-contract.ts';
import { contractBarrier } from '../../domain/closure/open-contracts.ts';
import type { TaskGap } from '../../domain/findings/merger-rules.ts';
import { type PlannedTask, plannedById } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import { eventsOf, type History, type JudgedPhase, planInForce, type RecordedEvent } from './history.ts';
import { proveResolved } from './resolved.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;
type Monitor = RecordedEvent<JudgedPhase<'monitor'>>;

/** The first version of the phase that judges exit contracts. Tasks that were judged before have none. */
const firstVersion = 4;

/**
 * Proves the exit contract of a task: its own handoff claims every level, its declared proofs were taken, and checks that were read as
 * evidence ran on exactly its snapshot. Returns the records relied on, or the gap.
 */
export function proveExit(history: History, monitor: Monitor): readonly Relied[] | TaskGap {
  const { plan } = planInForce(history.filter(({ position }) => position < monitor.position));
  const task = plannedById(plan, monitor.event.task);
  if (task === undefined || monitor.event.version < firstVersion) return [];
  const { resolved, snapshot } = monitor.event.evidence;
  if (resolved !== undefined) {
    const wave = plan.waves.findIndex(({ tasks }) => tasks.includes(task));
    const at = { position: monitor.position, event: { wave } };
    const isThis = snapshot !== null && resolved.tree === snapshot.tree;
    return (
      (isThis ? proveResolved(history, at, contractBarrier(task.id), resolved.tree) : null) ?? 'task-exit-unproven'
    );
  }
  if (!areClaimed(task, monitor)) return 'task-claims';
  const proofs = snapshot?.proofs ?? [];
  const areTaken = (task.artifacts ?? []).every(({ path }) =>
    proofs.some((proof) => proof.path === path && 'sha256' in proof),
  );
  if (!areTaken) return 'task-exit-unproven';
  const isUnit = task.exit.proof === 'unit';
  if (isUnit && plan.checks.length === 0) return 'task-exit-unproven';
  const needed = isUnit ? plan.checks.map(({ name }) => name) : [];
  return proveSnapshotChecks(history, monitor, needed);
}

function areClaimed({ exit }: PlannedTask, { event: { evidence } }: Monitor): boolean {
  const { handoff, nonce } = evidence;
  const claims = handoff.kind === 'given' && handoff.handoff.nonce === nonce ? (handoff.handoff.claims ?? {}) : {};
  const required = exitParts.filter((part) => levelIn(part, exit[part]) >= 0);
  return (
    required.every((part) => levelIn(part, claims[part]) >= levelIn(part, exit[part])) &&
    (required.length === 0 || claims.state !== 'gap')
  );
}

function levelIn(part: keyof typeof exitLevels, word: string | null | undefined): number {
  const levels: readonly (string | null | undefined)[] = exitLevels[part];
  return levels.indexOf(word);
}

/** Each check that the gates read passed, by a record before them; and each that the contract needs is among them. */
function proveSnapshotChecks(
  history: History,
  { position, event: { evidence } }: Monitor,
  needed: readonly string[],
): readonly Relied[] | TaskGap {
  const read = evidence.checks ?? [];
  if (needed.some((name) => !read.some((check) => check.name === name))) return 'task-exit-unproven';
  const relied: Relied[] = [];
  for (const { name, tree, outcome } of read) {
    const ran = eventsOf(history, 'check-ended').findLast(
      (one) => one.position < position && one.event.check.name === name && one.event.check.tree === tree,
    );
    const isPassed = outcome === 'passed' && ran?.event.check.outcome === 'passed';
    if (ran === undefined || !isPassed || tree !== evidence.snapshot?.tree) return 'task-exit-unproven';
    relied.push(ran);
  }
  return relied;
}
