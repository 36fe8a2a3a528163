import type { RunId } from '../../domain/base/ids.ts';
import type { RequestEvent, RunOrder } from '../../domain/ledger/requests.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Answered, askAs, requestStream } from '../ask.ts';
import { type PreparedOrder, placeOrder } from '../orders/order-run.ts';
import {
  type Action,
  type ActionTerms,
  forAnyone,
  type Misuse,
  type Moot,
  type SubjectKind,
  type Subjects,
} from './action.ts';
import { approveAction, stopAction } from './run-actions.ts';

export type ActingCaller = Pick<RepositoryHandle['caller'], 'mayDecide' | 'by'>;

/** The outcome of an action. Only `accepted` means that it is done or in progress. */
export type Performed =
  | { readonly outcome: 'accepted'; readonly seq: number }
  | Exclude<Answered, { readonly outcome: 'accepted' }>
  | { readonly outcome: 'not-allowed' }
  | ({ readonly outcome: 'misuse' } & Misuse)
  | ({ readonly outcome: 'moot' } & Moot)
  /** The key belongs to a different request. */
  | { readonly outcome: 'key-reused' };

/** One call of an action. */
type ActionInvocation<Kind extends SubjectKind, Input> = {
  readonly action: Action<Kind, Input>;
  readonly subject: NoInfer<Subjects[Kind]>;
  readonly input: NoInfer<Input>;
  /** Defaults to the caller of the repository handle. */
  readonly caller?: ActingCaller;
  /** Idempotency key: a second call with the same key makes no new request and gets the same answer. */
  readonly key?: string | null;
};

/** Tells whether the caller may perform an action. No other code distinguishes people from agents. */
export const mayPerform = (
  { who }: Pick<ActionTerms, 'who'>,
  { mayDecide }: Pick<ActingCaller, 'mayDecide'>,
): boolean => who === 'anyone' || mayDecide;

/** Performs an action: sends the request to the coordinator of the run and waits for the answer. Every interface uses it. */
export async function performAction<Kind extends SubjectKind, Input>(
  repo: Pick<RepositoryHandle, 'ledger' | 'ensureCoordinator' | 'patienceMs' | 'openRunDirectory' | 'caller' | 'clock'>,
  { action, subject, input, caller = repo.caller, key = null }: ActionInvocation<Kind, Input>,
): Promise<Performed> {
  if (!mayPerform(action, caller)) return { outcome: 'not-allowed' };
  const built = action.request(subject, input, caller.by, repo.clock.now());
  if (!built.ok) return { outcome: 'misuse', ...built.error };
  const request = key === null ? built.value : { ...built.value, key };
  const earlier = key === null ? undefined : withKey(await repo.ledger.read(requestStream(subject)), key);
  if (earlier !== undefined && !isSame(earlier, request)) return { outcome: 'key-reused' };
  const moot = earlier === undefined ? ((await action.moot?.(subject, input, repo)) ?? null) : null;
  if (moot !== null) return { outcome: 'moot', ...moot };
  const { answered, seq } = await askAs(repo, subject, request, earlier);
  if (answered.outcome !== 'accepted') return answered;
  await action.accepted?.(input, repo);
  return { outcome: 'accepted', seq };
}

/** Requests the stop of a run without waiting for the answer. The run need not be created yet. */
export async function requestStop(repo: Pick<RepositoryHandle, 'ledger' | 'caller'>, run: RunId): Promise<void> {
  if (mayPerform(stopAction, repo.caller))
    await repo.ledger.request(run, { type: 'requested-stop', by: repo.caller.by });
}

/**
 * Approves a landing before its tap opens, without waiting for the answer: the approval survives the terminal. Does nothing where the
 * plan needs no approval to land.
 */
export async function requestLanding(
  repo: Pick<RepositoryHandle, 'ledger' | 'caller' | 'clock'>,
  { run, state }: Subjects['run'],
): Promise<void> {
  const needsApproval = state.ended === null && state.plan.land === 'ask' && state.taps.land === undefined;
  if (!needsApproval || !mayPerform(approveAction, repo.caller)) return;
  const by = { ...repo.caller.by, via: 'land-flag' } as const;
  await repo.ledger.request(run, {
    type: 'requested-approve',
    tap: 'land',
    hash: state.hash,
    at: repo.clock.now(),
    by,
  });
}

const withKey = (stored: readonly Stored[], key: string): Stored | undefined =>
  stored.find(({ event }) => 'key' in event && event.key === key);

/** Compares without caller and time: the same person may repeat a request through another interface. */
function isSame({ event }: Stored, request: RequestEvent): boolean {
  const bare = (one: object): string => canonicalJson({ ...one, by: null, at: null });
  return bare(event) === bare(request);
}

/** Orders a run of a plan. `prepareOrder` has found all reasons against it; there is no run yet that could refuse. */
export const orderAction: ActionTerms = { name: 'order', ...forAnyone };

/** Places a prepared order with the approvals that the caller may give. Returns false when the caller may not order. */
export async function performOrder(
  repo: Pick<RepositoryHandle, 'openRunDirectory' | 'ledger'>,
  { order, text }: PreparedOrder,
  caller: ActingCaller,
  { approves = [], key }: { readonly approves?: RunOrder['approves']; readonly key?: string | undefined } = {},
): Promise<boolean> {
  if (!mayPerform(orderAction, caller)) return false;
  const approved = mayPerform(approveAction, caller) ? approves : [];
  await placeOrder(repo, { ...order, approves: approved }, text, caller.by, key);
  return true;
}
