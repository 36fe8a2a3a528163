import { idPattern, planHash, type RunId, runId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import {
  agentFindings,
  type CheckoutState,
  checkoutFindings,
  ownedByName,
  remoteFindings,
  uncommittedUnfit,
} from '../../domain/gates/preflight.ts';
import type { By, RunOrder } from '../../domain/ledger/requests.ts';
import { agentsIn } from '../../domain/plan/plan.ts';
import { type RunState, selectedWaves } from '../../domain/run/run.ts';
import { warningsBeside } from '../../domain/run/schedule.ts';
import { protectWarnings } from '../../domain/scope/ownership.ts';
import type { PlanFlags, PlanSource, ReadPlan, RepositoryHandle } from '../../ports/repository-handle.ts';
import { attest, continuationOf, lookBack, refusals, rehearse } from './create-run.ts';
import { knownRuns } from './find-run.ts';

type OrderInput = {
  readonly source: PlanSource;
  readonly flags: PlanFlags;
  /** The only wave to run; null for all waves. */
  readonly wave: number | null;
  /** True when agents start from the checkout as it is, with its uncommitted changes. */
  readonly withUncommitted?: boolean;
  /** Set when the plan is only judged and nothing will run: agents, signing and the checkout do not matter. */
  readonly planOnly?: true;
  /** Our own version, kept with the run. */
  readonly tidegate: string;
};
export type PreparedOrder = {
  readonly order: RunOrder;
  readonly rehearsed: RunState;
  /** The text for a plan file, if there is no file yet. */
  readonly text: string | null;
  readonly warnings: readonly Finding[];
  /** The warnings that are about the checkout and the machine, not about the plan. */
  readonly notes: readonly Finding[];
};

export type NotOrdered =
  | { readonly because: 'no-plan' | 'no-branch'; readonly message: string }
  | {
      readonly because: 'mistakes' | 'refused';
      readonly findings: readonly Finding[];
      readonly warnings: readonly Finding[];
    };

/** Reads the plan, freezes it and rehearses the run. Changes nothing. */
export async function prepareOrder(
  repo: RepositoryHandle,
  input: OrderInput,
): Promise<Result<PreparedOrder, NotOrdered>> {
  const uncommitted = input.withUncommitted === true;
  const found = await repo.readPlan(input.source, { ...input.flags, uncommitted });
  if (!found.ok) return err({ because: 'no-plan', message: found.error });
  const read = found.value;
  if (!read.ok) return err({ because: 'mistakes', findings: read.findings, warnings: read.warnings });
  const ordered = await orderOf(repo, read, input);
  if (!ordered.ok) return ordered;
  const { land } = input.flags;
  const planned: RunOrder = { ...ordered.value, landing: land ?? 'as-planned', approves: [] };
  const judged = await judgeOrder(repo, planned);
  const before = input.planOnly ? noPreflight : await orderPreflight(repo, planned, uncommitted);
  const order: RunOrder = before.takes ? { ...planned, uncommitted: true } : planned;
  const warnings = [...read.warnings, ...judged.warnings, ...before.warnings];
  const findings = [...judged.findings, ...before.refused];
  if (findings.length > 0) return err({ because: 'refused', findings, warnings });
  return ok({ order, rehearsed: judged.rehearsed, text: read.text, warnings, notes: before.warnings });
}

/** Records the order in the ledger. A coordinator then makes a run of it. */
export async function placeOrder(
  repo: Pick<RepositoryHandle, 'openRunDirectory' | 'ledger'>,
  order: RunOrder,
  text: string | null,
  by: By,
  key?: string,
): Promise<void> {
  await repo.openRunDirectory(order, text);
  const keyed = key === undefined ? {} : { key };
  await repo.ledger.request(order.run, { type: 'requested-run', by, ...order, ...keyed });
}

/** Judges an order by the phases before approval, and by whether it can be fenced here. */
export async function judgeOrder(repo: RepositoryHandle, order: RunOrder) {
  const rehearsed = await rehearsal(repo, order);
  const findings = [...refusals(rehearsed), ...(await authorFindings(repo)), ...(await fenceFindings(repo, order))];
  const live = (await knownRuns(repo.ledger)).flatMap(({ state }) => state ?? []);
  return { rehearsed, findings, warnings: [...scopeWarnings(rehearsed), ...warningsBeside(order, live)] };
}

async function orderOf(
  repo: RepositoryHandle,
  read: ReadPlan & { readonly ok: true },
  { wave, tidegate }: OrderInput,
): Promise<Result<Omit<RunOrder, 'landing' | 'approves'>, NotOrdered>> {
  const { plan, hash } = read;
  const tip = await repo.git.branchTip(plan.base);
  if (tip === null)
    return err({ because: 'no-branch', message: `the branch ${plan.base} does not exist or has no commit yet` });
  const attestation = await attest(repo.git);
  const target = { branch: plan.base, commit: tip };
  const id = newRunId(plan.name, repo.clock.nonce());
  const planFile = read.text === null ? read.planFile : repo.state.writtenPlan(id);
  const others = wave === null ? [] : (await knownRuns(repo.ledger)).map(({ state }) => state);
  const continues = await continuationOf(repo.git, { plan, wave, target }, others);
  return ok({
    run: id,
    plan,
    hash: planHash(hash),
    planFile,
    repo: attestation,
    target,
    wave,
    ...(continues === null ? {} : { continues }),
    tidegate,
  });
}

async function rehearsal(repo: RepositoryHandle, order: RunOrder): Promise<RunState> {
  const others = (await knownRuns(repo.ledger)).map(({ state }) => state);
  const seen = { earlier: await lookBack(repo.git, order, others), actual: order.repo };
  return rehearse(order, seen, { now: repo.clock.now(), nonce: () => '' });
}

/** The merge would find it only after the agents have cost money. */
async function authorFindings(repo: RepositoryHandle): Promise<readonly Finding[]> {
  return (await repo.isAuthorKnown()) ? [] : [{ rule: 'author' }];
}

/** Refuses an order without a working fence, unless the plan waives the fence: nothing runs unfenced silently. */
async function fenceFindings(repo: RepositoryHandle, { plan }: RunOrder): Promise<readonly Finding[]> {
  if (plan.fence.mode === 'none') return [];
  const fence = await repo.fence();
  return fence.ok ? [] : [fence.error];
}

/** Warns about tasks that own protected paths: it is allowed, but a person has to know. */
const scopeWarnings = (state: RunState): readonly Finding[] =>
  selectedWaves(state).flatMap((wave) => protectWarnings(state.plan, wave.index));

/** Returns `<slug>-<4 chars>`, without characters that look alike. */
export function newRunId(name: string, nonce: string): RunId {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const bytes = nonce.match(/../g)?.slice(0, 4) ?? [];
  const tail = bytes.map((byte) => alphabet[Number.parseInt(byte, 16) % alphabet.length]).join('');
  const id = `${name.slice(0, 59)}-${tail}`;
  if (!idPattern.test(id)) throw new Error(`${id} is not a run id`);
  return runId(id);
}

type Preflight = {
  /** Reasons why the run is not ordered. */
  readonly refused: readonly Finding[];
  /** Shown to a person before the approval. */
  readonly warnings: readonly Finding[];
  /** True when there are uncommitted changes to take along and the caller wants them. */
  readonly takes: boolean;
};

const noPreflight: Preflight = { refused: [], warnings: [], takes: false };

/** Finds problems before agents cost money: in the checkout, in the agents of the plan, in signing. */
async function orderPreflight(repo: RepositoryHandle, order: RunOrder, withUncommitted: boolean): Promise<Preflight> {
  const { plan, continues } = order;
  const agents = await agentsOf(repo, order);
  const checkout = await repo.checkoutState(ownedByName(plan));
  const signing = await repo.trySigning();
  const takes = withUncommitted && checkout.changed.length + checkout.untracked.length > 0;
  const uncommitted = takes ? await uncommittedFindings(repo, order, checkout) : [];
  return {
    takes,
    refused: [...agents.refused, ...(signing === null ? [] : [signing]), ...remoteFindings(order), ...uncommitted],
    warnings: [
      ...(continues === undefined
        ? []
        : [{ rule: 'wave-continues', run: continues.run, branch: continues.branch } as const]),
      ...checkoutFindings(order, checkout, takes),
      ...agents.warnings,
    ],
  };
}

/** The merger judges the files again when it takes them; here nothing is made yet. */
async function uncommittedFindings(repo: RepositoryHandle, { plan, target }: RunOrder, checkout: CheckoutState) {
  const unfit = uncommittedUnfit(plan, checkout);
  if (unfit.length > 0) return unfit;
  return await repo.secretsIn([...checkout.changed, ...checkout.untracked], target.commit);
}

async function agentsOf(repo: Pick<RepositoryHandle, 'agentReady'>, { plan }: RunOrder) {
  const names = agentsIn(plan);
  const readiness = new Map(await Promise.all(names.map(async (name) => [name, await repo.agentReady(name)] as const)));
  return agentFindings(plan, readiness);
}
