import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { EarlierDefinitions } from '../../domain/landing/earlier-definitions.ts';
import { neededLevel } from '../../domain/proofs/bundle.ts';
import {
  completePromotions,
  componentBarrier,
  needsBundle,
  type Promotion,
  skippedIn,
} from '../../domain/proofs/components.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveBundle, provePerson } from './bundles.ts';
import {
  creation,
  eventsOf,
  type History,
  isDoneEmpty,
  isMerged,
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
type Round = { readonly wave: number; readonly round: number };

/**
 * The promotions that a round has to make, by the ledger: it has the last owners, and the others are merged or done. What a person
 * waived before the round was merged is none.
 */
export function promotionsIn(history: History, of: Round): readonly Promotion[] {
  const skipped = skippedInHistory(history, of.wave);
  const position = eventsOf(history, 'merged').find(isOfRound(of))?.position ?? Number.POSITIVE_INFINITY;
  const isWaived = ({ component }: Promotion): boolean =>
    proveResolved(history, { position, event: of }, componentBarrier(component), null) !== null;
  return completeIn(history, of).filter((one) => !skipped.has(one.component) && !isWaived(one));
}

/** Components that an earlier wave of this run was to promote and did not. */
function skippedInHistory(history: History, wave: number): ReadonlySet<string> {
  const { plan } = planInForce(history);
  const isAlone = creation(history).wave !== null;
  const promoted = eventsOf(history, 'components-promoted').filter(({ event }) =>
    eventsOf(history, 'merged').some(isOfRound(event)),
  );
  return skippedIn(plan, isAlone ? [] : [...plan.waves.keys()].filter((index) => index < wave), (index) =>
    promoted.filter(({ event }) => event.wave === index).flatMap(({ event }) => Object.keys(event.levels)),
  );
}

function completeIn(history: History, { wave, round }: Round): readonly Promotion[] {
  const { plan } = planInForce(history);
  const built = eventsOf(history, 'candidate-built').findLast(
    ({ event }) => event.wave === wave && event.round === round,
  );
  if (built === undefined) return [];
  const inRound = built.event.steps.map(({ task }) => task);
  const finished = (plan.waves[wave]?.tasks ?? [])
    .map(({ id }) => id)
    .filter((id) => !inRound.includes(id) && (isMerged(history, id) || isDoneEmpty(history, id)));
  return completePromotions(plan, wave, { inRound, finished });
}

type Top = { readonly commit: CommitId; readonly tree: TreeId };
type Promoted = {
  readonly top: Top;
  readonly position: number;
  readonly relied: readonly Relied[];
  readonly before?: EarlierDefinitions;
};

/** Proves the commit with the new levels: exactly one when the round makes promotions, and none otherwise. */
export function provePromoted(
  history: History,
  of: Round & { readonly top: Top; readonly position: number },
): Promoted | ProofGap {
  const due = promotionsIn(history, of);
  const all = eventsOf(history, 'components-promoted').filter(
    ({ event }) => event.wave === of.wave && event.round === of.round,
  );
  if (all.length !== Math.min(due.length, 1))
    return { gap: 'event-count', event: 'components-promoted', count: all.length };
  const [promoted] = all;
  if (promoted === undefined) return { top: of.top, position: of.position, relied: [] };
  const { levels, commit, tree, before } = promoted.event;
  const expected = Object.fromEntries(due.map(({ component, to }) => [component, to]));
  if (!isDeepStrictEqual(levels, expected)) return { gap: 'promotion-other' };
  if (promoted.position <= of.position) return { gap: 'promotion-order' };
  const defined = before === undefined ? {} : { before };
  return { top: { commit, tree }, position: promoted.position, relied: [promoted], ...defined };
}

/** Proves each promotion of a round: every owner's work passed its gates, and a level of a running system has a person's proof. */
export function proveComponents(history: History, closure: Closure): readonly Relied[] | ProofGap {
  const { wave, evidence } = closure.event;
  const relied: Relied[] = [];
  const skipped = skippedInHistory(history, wave);
  for (const promotion of completeIn(history, { wave, round: evidence.round })) {
    const { component } = promotion;
    const proven =
      proveResolved(history, closure, componentBarrier(component), null) ??
      (skipped.has(component)
        ? ({ gap: 'component-unproven', component } as const)
        : provePromotion(history, closure, promotion));
    if ('gap' in proven) return proven;
    relied.push(...proven);
  }
  return relied;
}

function provePromotion(history: History, closure: Closure, promotion: Promotion): readonly Relied[] | ProofGap {
  const { component, to, owners } = promotion;
  const claimed = closure.event.evidence.closure?.components?.find((one) => one.component === component);
  const work = owners.map((task) => ({ task, snapshot: provenSnapshot(history, task) }));
  if (work.some(({ snapshot }) => snapshot === undefined)) return { gap: 'component-owner', component };
  if (claimed?.level !== to || !isDeepStrictEqual(claimed.owners, work)) return { gap: 'component-claimed', component };
  if (!needsBundle(to)) return [];
  for (const { task, snapshot } of claimed.owners) {
    const proven = proveBundle(
      history,
      closure,
      { task, snapshot },
      ({ components = {} }) => components[component] === to,
    );
    if (proven !== null) return proven;
  }
  return { gap: 'component-unproven', component };
}

/** The snapshot that the gates passed; of a merged task the one that was merged. */
function provenSnapshot(history: History, task: TaskId): CommitId | undefined {
  const merged = eventsOf(history, 'round-opened').findLast(({ event }) =>
    event.tasks.some((entry) => entry.task === task),
  );
  return readySnapshot(history, task)?.commit ?? merged?.event.tasks.find((entry) => entry.task === task)?.snapshot;
}

/** Proves that each task of the round that needs a person's proof has one for exactly this snapshot. */
export function proveBundles(
  history: History,
  closure: Closure,
  { core, steps }: { readonly core: TreeId; readonly steps: readonly { readonly task: TaskId }[] },
): readonly Relied[] | ProofGap {
  const { plan } = planInForce(history);
  const relied: Relied[] = [];
  for (const { task } of steps) {
    const entry = closure.event.evidence.tasks.find((one) => one.task === task);
    const known = planned(plan, task);
    const level = known === undefined ? null : neededLevel(known);
    if (level === null || entry === undefined) continue;
    const proven = provePerson(history, closure, { entry, level, core });
    if ('gap' in proven) return proven;
    relied.push(...proven);
  }
  return relied;
}
