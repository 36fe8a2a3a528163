import type { Finding } from '../../domain/findings/finding.ts';
import {
  agentFindings,
  type CheckoutState,
  checkoutFindings,
  ownedByName,
  remoteFindings,
  uncommittedUnfit,
} from '../../domain/gates/preflight.ts';
import type { RunOrder } from '../../domain/ledger/requests.ts';
import { allTasks } from '../../domain/plan/plan.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';

export type Preflight = {
  /** Each of these keeps the run from being ordered. */
  readonly refused: readonly Finding[];
  /** Told to a person before they are asked. */
  readonly warnings: readonly Finding[];
  /** There is something uncommitted to take along, and that was asked for. */
  readonly takes: boolean;
};

export const noPreflight: Preflight = { refused: [], warnings: [], takes: false };

/** What would go wrong after agents were paid, found before: in the checkout, in the agents of the plan, in signing. */
export async function orderPreflight(
  repo: RepositoryHandle,
  order: RunOrder,
  withUncommitted: boolean,
): Promise<Preflight> {
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

/** Found again by the merger, which takes the files; here nothing is made yet. */
async function uncommittedFindings(repo: RepositoryHandle, { plan, target }: RunOrder, checkout: CheckoutState) {
  const unfit = uncommittedUnfit(plan, checkout);
  if (unfit.length > 0) return unfit;
  return await repo.secretsIn([...checkout.changed, ...checkout.untracked], target.commit);
}

async function agentsOf(repo: Pick<RepositoryHandle, 'agentReady'>, { plan }: RunOrder) {
  const names = [...new Set(allTasks(plan).flatMap(({ agent }) => agent))];
  const readiness = new Map(await Promise.all(names.map(async (name) => [name, await repo.agentReady(name)] as const)));
  return agentFindings(plan, readiness);
}
