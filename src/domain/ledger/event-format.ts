import { canonicalJson } from '../plan/plan.ts';
import type { LedgerEvent } from './events.ts';

/** The only format that this version reads and writes. New types and optional fields do not change it. */
export const ledgerFormat = 2;

/** The hash rule of the chain: SHA-256 over the previous hash and the record, with the event's stored bytes (`linkHash`). */
export const hashRule = 'sha256-link-1';

/** The first event of every ledger. */
export const opening: LedgerEvent = { type: 'ledger-opened', format: ledgerFormat, hashing: hashRule };

/**
 * The version of each type of event, stored as `v`. Any change but a new optional field raises it and adds an upcaster.
 */
export const eventVersions: EventVersions = {
  'requested-run': 1,
  'requested-approve': 1,
  'requested-reject': 1,
  'requested-hold': 1,
  'requested-grant': 1,
  'requested-drop': 1,
  'requested-discard': 1,
  'requested-retry': 1,
  'requested-rework': 1,
  'requested-accept': 1,
  'requested-edit': 1,
  'requested-landing-edit': 1,
  'requested-send': 1,
  'requested-raise': 1,
  'requested-pause': 1,
  'requested-resume': 1,
  'requested-stop': 1,
  'requested-abandon': 1,
  'requested-replan': 1,
  'requested-land': 1,
  'requested-undo': 1,
  'requested-post': 1,
  'requested-answer': 1,
  'requested-record': 1,
  'requested-resolve': 1,
  'requested-relaunch': 1,
  'requested-proof': 1,
  'requested-proof-revoke': 1,
  'requested-dependency': 1,
  'requested-dependency-end': 1,
  'run-created': 1,
  'plan-replaced': 1,
  'phase-judged': 1,
  'thread-intended': 1,
  'run-branch-made': 1,
  'tap-opened': 1,
  'tap-decided': 1,
  'task-base-made': 1,
  'task-base-refused': 1,
  'attempt-intended': 1,
  'attempt-noted': 1,
  'attempt-told': 1,
  'message-sent': 1,
  'attempt-started': 1,
  'attempt-ended': 1,
  'attempt-settled': 1,
  'orchestrator-intended': 1,
  'orchestrator-started': 1,
  'orchestrator-noted': 1,
  'orchestrator-told': 1,
  'orchestrator-ended': 1,
  'task-held': 1,
  'task-released': 1,
  'task-granted': 1,
  'task-dropped': 1,
  'paths-dropped': 1,
  'kept-discarded': 1,
  'task-accepted': 1,
  'task-edited': 1,
  'task-retried': 1,
  'task-reworked': 1,
  'agent-chosen': 1,
  'budget-raised': 1,
  'budget-near': 1,
  'check-ended': 1,
  'round-opened': 1,
  'candidate-built': 1,
  'generator-ended': 1,
  'candidate-completed': 1,
  'role-opened': 1,
  'candidate-extended': 1,
  'barrier-resolved': 1,
  'wave-relaunched': 1,
  'task-continued': 1,
  'components-promoted': 1,
  'proof-registered': 1,
  'proof-revoked': 1,
  'dependency-added': 1,
  'dependency-owed': 1,
  'dependency-unmet': 1,
  'dependency-resolved': 1,
  'dependency-cancelled': 1,
  'task-derived': 1,
  'sides-compared': 1,
  'culprit-found': 1,
  'merge-intended': 1,
  'round-abandoned': 1,
  'wave-closed': 1,
  merged: 1,
  landed: 1,
  undone: 1,
  'landing-queued': 1,
  'target-observed': 1,
  'landing-rebuilt': 1,
  'landing-edited': 1,
  'landing-intended': 1,
  'landing-refused': 1,
  'branch-made': 1,
  'push-intended': 1,
  pushed: 1,
  'pull-request-intended': 1,
  'pull-request-opened': 1,
  'pull-request-landed': 1,
  'undo-prepared': 1,
  'undo-intended': 1,
  'undo-refused': 1,
  'provider-paused': 1,
  'provider-resumed': 1,
  'run-paused': 1,
  'run-resumed': 1,
  'run-stopped': 1,
  'run-abandoned': 1,
  'run-halted': 1,
  'starts-suspended': 1,
  'starts-allowed': 1,
  'run-ended': 1,
  'request-accepted': 1,
  'request-refused': 1,
  'record-posted': 1,
  'record-answered': 1,
  'record-closed': 1,
  'record-changed': 1,
  'helper-assigned': 1,
  'records-overdue': 1,
  'external-wave-created': 1,
  'external-wave-started': 1,
  'external-wave-ended': 1,
  'external-batch-submitted': 1,
  'external-subtask-updated': 1,
  'external-action-recorded': 1,
  'external-batch-completed': 1,
  'external-key-used': 1,
  'ledger-opened': 1,
  'coordinator-started': 1,
  'coordinator-stopped': 1,
};

export type EventVersions = Readonly<Record<LedgerEvent['type'], number>>;

type StoredEvent = Readonly<Record<string, unknown>> & { readonly type: string };
/** Entry n converts an event of version n + 1 to version n + 2, after the chain has verified its bytes. */
export type Upcasters = { readonly [T in LedgerEvent['type']]?: readonly ((event: StoredEvent) => StoredEvent)[] };
export const upcasters: Upcasters = {};

/**
 * Returns the stored form of an event: canonical JSON in ASCII, so that no changed byte can decode to the same text. Throws on values
 * that JSON cannot hold.
 */
export function eventBody(event: LedgerEvent, versions: EventVersions = eventVersions): string {
  const body = canonicalJson({ ...event, v: versions[event.type] ?? 1 }).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  JSON.parse(body);
  return body;
}

/** A stored event as this version understands it. `newer`: a later version wrote it, and its meaning is unknown. */
type ReadEvent =
  | { readonly kind: 'event'; readonly event: LedgerEvent }
  | { readonly kind: 'newer'; readonly type: string; readonly version: number }
  | { readonly kind: 'malformed' };

export function readEvent(
  stored: unknown,
  { versions, steps }: { versions: EventVersions; steps: Upcasters } = { versions: eventVersions, steps: upcasters },
): ReadEvent {
  if (!isStored(stored)) return { kind: 'malformed' };
  const { v: version, ...event } = stored;
  const known = Object.hasOwn(versions, event.type) ? versions[event.type as LedgerEvent['type']] : undefined;
  if (known === undefined || version > known) {
    if (!event.type.startsWith('requested-')) return { kind: 'newer', type: event.type, version };
    // Anyone may leave a request, a later version too. It decides nothing, and is refused by a name that nobody here knows.
    const type = known === undefined ? event.type : `${event.type}@${version}`;
    return { kind: 'event', event: { ...event, type } as LedgerEvent };
  }
  const missing = (steps[event.type as LedgerEvent['type']] ?? []).slice(version - 1, known - 1);
  return { kind: 'event', event: missing.reduce((one, step) => step(one), event as StoredEvent) as LedgerEvent };
}

const isStored = (value: unknown): value is { readonly type: string; readonly v: number } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'v' in value &&
  Number.isSafeInteger(value.v) &&
  Number(value.v) > 0;
