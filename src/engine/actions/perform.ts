import type { RunId } from '../../domain/base/ids.ts';
import type { RequestEvent } from '../../domain/ledger/requests.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Answered, askAs } from '../ask.ts';
import type { Action, ActionTerms, Misuse, Moot, SubjectKind, Subjects } from './action.ts';
import { approveAction } from './run/approve.ts';
import { stopAction } from './run/stop.ts';

/** The caller of an action, as far as performing it goes. */
export type ActingCaller = Pick<RepositoryHandle['caller'], 'mayDecide' | 'by'>;

/** How performing an action ended. Only `accepted` means that it is done or under way. */
export type Performed =
  | { readonly outcome: 'accepted'; readonly seq: number }
  | Exclude<Answered, { readonly outcome: 'accepted' }>
  | { readonly outcome: 'not-allowed' }
  | ({ readonly outcome: 'misuse' } & Misuse)
  | ({ readonly outcome: 'moot' } & Moot)
  /** The key stands for another request. */
  | { readonly outcome: 'key-reused' };

type Performing<Kind extends SubjectKind, Input> = {
  readonly action: Action<Kind, Input>;
  readonly subject: NoInfer<Subjects[Kind]>;
  readonly input: NoInfer<Input>;
  /** Defaults to the caller of the repository handle. */
  readonly caller?: ActingCaller;
  /** Names the asking: the same again asks for nothing new, and gets the same answer. */
  readonly key?: string | null;
};

/** Whether the caller may perform an action. People and agents are told apart here and nowhere else. */
export const mayPerform = (
  { who }: Pick<ActionTerms, 'who'>,
  { mayDecide }: Pick<ActingCaller, 'mayDecide'>,
): boolean => who === 'anyone' || mayDecide;

/** Performs an action: asks the coordinator of the run for it, and waits for the answer. Every surface performs by this. */
export async function performAction<Kind extends SubjectKind, Input>(
  repo: Pick<RepositoryHandle, 'ledger' | 'ensureCoordinator' | 'patienceMs' | 'openRunDirectory' | 'caller' | 'clock'>,
  { action, subject, input, caller = repo.caller, key = null }: Performing<Kind, Input>,
): Promise<Performed> {
  if (!mayPerform(action, caller)) return { outcome: 'not-allowed' };
  const made = action.request(subject, input, caller.by, repo.clock.now());
  if (!made.ok) return { outcome: 'misuse', ...made.error };
  const request = key === null ? made.value : { ...made.value, key };
  const earlier = key === null ? undefined : withKey(await repo.ledger.read(subject.run), key);
  if (earlier !== undefined && !isSame(earlier, request)) return { outcome: 'key-reused' };
  const moot = earlier === undefined ? ((await action.moot?.(subject, input, repo)) ?? null) : null;
  if (moot !== null) return { outcome: 'moot', ...moot };
  const { answered, seq } = await askAs(repo, subject, request, earlier);
  if (answered.outcome !== 'accepted') return answered;
  await action.accepted?.(input, repo);
  return { outcome: 'accepted', seq };
}

/** Asks a run to stop without waiting for the answer; also one that no coordinator has made yet. */
export async function requestStop(repo: Pick<RepositoryHandle, 'ledger' | 'caller'>, run: RunId): Promise<void> {
  if (mayPerform(stopAction, repo.caller))
    await repo.ledger.request(run, { type: 'requested-stop', by: repo.caller.by });
}

/**
 * Says yes to a landing that nobody has been asked about yet, without waiting for the answer: it stays said, whatever becomes of the
 * terminal. Asks for nothing where the plan asks nobody.
 */
export async function requestLanding(
  repo: Pick<RepositoryHandle, 'ledger' | 'caller' | 'clock'>,
  { run, state }: Subjects['run'],
): Promise<void> {
  const isAsked = state.ended === null && state.plan.land === 'ask' && state.taps.land === undefined;
  if (!isAsked || !mayPerform(approveAction, repo.caller)) return;
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

/** Compares without caller and time: the same person may ask again, and by another way. */
function isSame({ event }: Stored, request: RequestEvent): boolean {
  const bare = (one: object): string => canonicalJson({ ...one, by: null, at: null });
  return bare(event) === bare(request);
}
