import type { RunId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { StateDir } from '../domain/ledger/state-dir.ts';
import { type Ledger, repositoryStream } from '../ports/ledger.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { openDependency, openOnBranch } from './proof/dependencies.ts';
import { abandonReason, type History } from './proof/history.ts';
import { recordAtLanding } from './proof/records.ts';

/** The inputs of every operation of the merger. */
export type MergerContext = {
  readonly ledger: Ledger;
  readonly state: StateDir;
  /** The person's checkout. */
  readonly checkout: string;
  /** The person's own environment, for the steps that are theirs: identity, signing, filters of their checkout. */
  readonly env: Readonly<Record<string, string>>;
};

/** One request about one run, under the epoch of the coordinator that sent it. */
export type MergerOrder = MergerContext & { readonly run: RunId; readonly epoch: number };

export const mergerDone: MergerAnswer = { outcome: 'done' };
export const stale: MergerAnswer = { outcome: 'stale-epoch' };
export const refused = (because: Finding): MergerAnswer => ({ outcome: 'refused', because });

/** Records facts about the world that stay true whatever else was appended meanwhile. */
export const recordFacts = (order: MergerOrder, ...events: readonly RunEvent[]): Promise<MergerAnswer> =>
  recordWhile(order, () => true, ...events);

/** Records facts while their condition holds. Once it does not, nothing is recorded, and the caller may try again. */
export async function recordWhile(
  order: MergerOrder,
  isValid: (past: History) => boolean,
  ...events: readonly RunEvent[]
): Promise<MergerAnswer> {
  for (;;) {
    const past = await order.ledger.read(order.run);
    if (!isValid(past)) return mergerDone;
    const appended = await order.ledger.append(order.run, past.length, events, order.epoch);
    if (appended.outcome === 'appended') return mergerDone;
    if (appended.outcome === 'stale-epoch') return stale;
  }
}

export type Intent<E> =
  | { readonly decision: 'intend'; readonly event: E & RunEvent }
  /** This intent is in the ledger already and was never finished. */
  | { readonly decision: 'resume'; readonly event: E & RunEvent }
  | { readonly decision: 'answer'; readonly answer: MergerAnswer };

/**
 * Records an intent, decided by exactly the events before it: another writer in between means deciding again.
 * This append is the fence against a coordinator that was replaced (I10): after it the ref may move, not before. A run that a person
 * gave up meanwhile begins nothing more; only what has landed may still be taken back. Neither does one with an open dependency or record.
 */
export async function recordIntent<E>(
  order: MergerOrder,
  decide: (history: History) => Promise<Intent<E>>,
): Promise<Intent<E>> {
  for (;;) {
    const history = await order.ledger.read(order.run);
    const intent = await decide(history);
    if (intent.decision === 'answer') return intent;
    if (intent.decision === 'resume') return (await isCurrent(order)) ? intent : { decision: 'answer', answer: stale };
    const isUndo = intent.event.type === 'undo-intended';
    const because = isUndo ? null : await whyNotIntended(order, history, intent.event);
    if (because !== null) return { decision: 'answer', answer: refused(because) };
    const appended = await order.ledger.append(order.run, history.length, [intent.event], order.epoch);
    if (appended.outcome === 'appended') return intent;
    if (appended.outcome === 'stale-epoch') return { decision: 'answer', answer: stale };
  }
}

/** Why this intent is not recorded; null when nothing keeps it from that. */
export async function whyNotIntended(
  { ledger, run }: Pick<MergerOrder, 'ledger' | 'run'>,
  history: History,
  intent: RunEvent,
): Promise<Finding | null> {
  const historyOf = (other: RunId): Promise<History> => ledger.read(other);
  const above = await ledger.read(repositoryStream);
  return (
    abandonReason(history) ??
    (await openDependency(history, intent, historyOf)) ??
    (await openOnBranch(above, intent, run, historyOf)) ??
    recordAtLanding(history, intent, above)
  );
}

/** Tells whether the coordinator that sent the request still holds the epoch. */
export async function isCurrent(order: Pick<MergerOrder, 'ledger' | 'epoch'>): Promise<boolean> {
  return (await order.ledger.holder())?.epoch === order.epoch;
}
