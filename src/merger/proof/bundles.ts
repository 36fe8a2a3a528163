import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { type BundleLevel, holdsLevel, holdsOf, neededLevel } from '../../domain/proofs/bundle.ts';
import { componentBarrier, needsBundle, promotionsOf } from '../../domain/proofs/components.ts';
import { bundleBarrier } from '../../domain/proofs/open-bundles.ts';
import type { Stored } from '../../ports/ledger.ts';
import {
  byHand,
  coreTop,
  eventsOf,
  type History,
  isOfRound,
  type JudgedPhase,
  planInForce,
  planned,
  type RecordedEvent,
  readySnapshot,
} from './history.ts';
import { proveResolved } from './resolved.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;
type Closure = RecordedEvent<JudgedPhase<'closure'>>;
type Registered = Extract<RunEvent, { readonly type: 'proof-registered' }>;
type Work = { readonly task: TaskId; readonly snapshot: CommitId };

/** A bundle of this level, or a person's resolution for this tree. */
export function provePerson(
  history: History,
  closure: Closure,
  { entry, level, core }: { readonly entry: Work; readonly level: BundleLevel; readonly core: TreeId },
): readonly Relied[] | ProofGap {
  const proven =
    proveResolved(history, closure, bundleBarrier(entry.task), core) ??
    proveBundle(history, closure, entry, (bundle) => holdsLevel({ holds: holdsOf(bundle.level) }, level));
  return proven ?? { gap: 'task-unproven', task: entry.task };
}

/** A bundle that the gate saw, that a person registered by their own request for this snapshot, and that still counts. */
export function proveBundle(
  history: History,
  { position, event }: Pick<Closure, 'position'> & { readonly event: Pick<Closure['event'], 'evidence'> },
  work: Work,
  isEnough: (bundle: Registered) => boolean,
): readonly Relied[] | null {
  const seen = new Set((event.evidence.bundles ?? []).map(({ id }) => id));
  const standing = standingIn(history, work, isEnough).find(
    (one) => seen.has(one.event.bundle) && one.position < position,
  );
  return standing === undefined ? null : requestOf(history, standing);
}

/** Bundles for this snapshot that nobody revoked or replaced. */
const standingIn = (history: History, { task, snapshot }: Work, isEnough: (bundle: Registered) => boolean) =>
  eventsOf(history, 'proof-registered').filter(
    ({ event }) =>
      event.task === task && event.snapshot === snapshot && isEnough(event) && !isOver(history, event.bundle),
  );

const isOver = (history: History, bundle: string): boolean =>
  eventsOf(history, 'proof-revoked').some(({ event }) => event.bundle === bundle) ||
  eventsOf(history, 'proof-registered').some(({ event }) => event.supersedes === bundle);

/** Null when no person requested it by hand. */
function requestOf(history: History, registered: RecordedEvent<Registered>): readonly Relied[] | null {
  const { type: _, bundle, tree, ...content } = registered.event;
  const request = history.find(({ position, event }) => {
    if (position > registered.position || event.type !== 'requested-proof') return false;
    const { type, key, ...asked } = event;
    return isDeepStrictEqual(asked, content);
  });
  return request === undefined || !byHand.has(content.by.via) ? null : [request, registered];
}

/** Returns why one of these tasks may not land: the proof that it or a component was merged with was revoked since. */
export function lostProof(history: History, tasks: readonly TaskId[]): Finding | null {
  const { plan } = planInForce(history);
  for (const { event } of eventsOf(history, 'merged')) {
    const core = coreTop(history, event)?.tree;
    const isResolved = (barrier: string): boolean =>
      core !== undefined &&
      proveResolved(history, { position: Number.POSITIVE_INFINITY, event, since: 0 }, barrier, core) !== null;
    const opened = eventsOf(history, 'round-opened').findLast((one) => isOfRound(event)(one))?.event.tasks ?? [];
    for (const entry of opened.filter(({ task }) => tasks.includes(task))) {
      const known = planned(plan, entry.task);
      const level = known === undefined ? null : neededLevel(known);
      if (level === null || isResolved(bundleBarrier(entry.task))) continue;
      const standing = standingIn(history, entry, (one) => holdsLevel({ holds: holdsOf(one.level) }, level));
      if (standing.length === 0) return { rule: 'proof-open', task: entry.task, level, code: 'proof-revoked' };
    }
    const promoted = eventsOf(history, 'components-promoted').findLast((one) => isOfRound(event)(one))?.event;
    for (const { component, to, owners } of promotionsOf(plan, event.wave)) {
      const left = owners.filter((owner) => tasks.includes(owner));
      const isDue = promoted?.levels[component] === to && needsBundle(to) && left.length > 0;
      if (!isDue || isResolved(componentBarrier(component))) continue;
      const isEnough = ({ components = {} }: Registered): boolean => components[component] === to;
      const isProven = owners.some((task) => {
        const snapshot = mergedSnapshot(history, task);
        return snapshot !== undefined && standingIn(history, { task, snapshot }, isEnough).length > 0;
      });
      if (!isProven)
        return { rule: 'component-open', component, level: to, code: 'component-proof-missing', tasks: left };
    }
  }
  return null;
}

/** The snapshot that was merged; of a task without changes the one that its gates passed. */
const mergedSnapshot = (history: History, task: TaskId): CommitId | undefined =>
  eventsOf(history, 'round-opened')
    .findLast(({ event }) => event.tasks.some((entry) => entry.task === task))
    ?.event.tasks.find((entry) => entry.task === task)?.snapshot ?? readySnapshot(history, task)?.commit;
