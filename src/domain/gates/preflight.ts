import { type TaskId, taskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunOrder } from '../ledger/requests.ts';
import { orchestratorId } from '../orchestrator/orchestrator.ts';
import { everyTask, type FrozenPlan, landsOnOwnBranch } from '../plan/plan.ts';
import { matches, pattern } from '../scope/pattern.ts';

/** The person's checkout as it is before a run starts. Paths are from its root. */
export type CheckoutState = {
  /** Null: no branch is checked out. */
  readonly branch: string | null;
  /** Tracked files that differ from the last commit. */
  readonly changed: readonly string[];
  /** Files that git does not track: new ones, and ignored ones at paths that a task owns by name. */
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
};

/** Files that `--with-uncommitted` takes along. A repository in the checkout is named as a directory, and `.tidegate/` is ours. */
export const uncommittedPaths = ({ changed, untracked }: CheckoutState): readonly string[] =>
  [...changed, ...untracked].filter((path) => !path.endsWith('/') && !path.startsWith('.tidegate/'));

/** So many files are named in one finding. */
const shown = 5;

/** Findings about a checkout before a run: changes that the run would not see or would take along, and files that its landing would meet. */
export function checkoutFindings(
  { plan, planFile }: { readonly plan: FrozenPlan; readonly planFile: string },
  checkout: CheckoutState,
  withUncommitted: boolean,
): readonly Finding[] {
  const { base } = plan;
  const uncommitted = uncommittedChanges(base, uncommittedIn({ plan, planFile }, checkout), withUncommitted);
  const unseen = uncommitted === null ? [] : [uncommitted];
  return checkout.branch === base ? [...unseen, ...inTheWay(plan, checkout)] : unseen;
}

/** Null when all is committed. */
export function uncommittedChanges(base: string, changes: readonly string[], withUncommitted: boolean): Finding | null {
  const rule = withUncommitted ? 'uncommitted-seen' : 'checkout-changed';
  return changes.length === 0 ? null : { rule, base, files: changes.slice(0, shown), count: changes.length };
}

/** Changes that agents would miss. The plan and its directives were read from the checkout: nothing of them is missed. */
function uncommittedIn(
  { plan, planFile }: { readonly plan: FrozenPlan; readonly planFile: string },
  { changed, untracked }: CheckoutState,
): readonly string[] {
  const read = new Set([planFile, ...everyTask(plan).flatMap(({ directive }) => directive.file ?? [])]);
  return [...changed, ...untracked].filter((path) => !read.has(path) && !/^tidegate(\.local)?\.yaml$/.test(path));
}

/** Untracked files in what tasks own. A task without `owns` may write anywhere, which is no reason to name every file. */
function inTheWay(plan: FrozenPlan, { untracked, ignored }: CheckoutState): readonly Finding[] {
  const owners = new Map<string, TaskId>();
  for (const { id, owns, shares, locks } of everyTask(plan)) {
    const patterns = [...(owns ?? []), ...shares, ...locks]
      .filter((text) => !Object.hasOwn(plan.generated, text))
      .map(pattern);
    for (const path of [...untracked, ...ignored])
      if (!owners.has(path) && patterns.some((one) => matches(one, path))) owners.set(path, id);
  }
  if (owners.size === 0) return [];
  const files = [...owners.keys()].sort();
  return [
    {
      rule: 'untracked-in-the-way',
      files: files.slice(0, shown),
      count: files.length,
      tasks: [...new Set(owners.values())],
    },
  ];
}

/** Paths that a task owns by name: only there an ignored file is looked for. */
export const ownedByName = (plan: FrozenPlan): readonly string[] =>
  [...new Set(everyTask(plan).flatMap(({ owns }) => owns ?? []))].filter((text) => pattern(text).literal);

/** Why uncommitted changes cannot be taken along. */
export function uncommittedUnfit(plan: FrozenPlan, { branch }: CheckoutState): readonly Finding[] {
  if (branch !== plan.base) return [{ rule: 'uncommitted-unfit', fault: 'other-branch', base: plan.base, branch }];
  return leavesUncommitted(plan);
}

/** A run with uncommitted changes cannot land on a branch of its own: the branch would contain them. */
export function leavesUncommitted(plan: FrozenPlan): readonly Finding[] {
  return landsOnOwnBranch(plan) ? [{ rule: 'uncommitted-unfit', fault: 'lands-on-branch', land: plan.land }] : [];
}

/** A pull request needs somewhere to push its branch. Which of several remotes that is, the merger finds. */
export const remoteFindings = ({ plan, repo }: Pick<RunOrder, 'plan' | 'repo'>): readonly Finding[] =>
  plan.land === 'pr' && repo.remotes.length === 0 ? [{ rule: 'no-remote', branch: plan.base, remotes: [] }] : [];

/** Says whether an agent can be started here. `because` names what is missing, with the command that fixes it. */
export type AgentReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly installed: boolean; readonly because: Finding };

/**
 * Returns findings about agents of a plan that cannot be started. If no agent of a chain can be started, the run is refused; if another
 * agent of the chain can, the finding is a warning. A variable that the plan passes on may log an agent in without our knowing it.
 */
export function agentFindings(
  plan: FrozenPlan,
  readiness: ReadonlyMap<string, AgentReadiness>,
): { readonly refused: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const refused: Finding[] = [];
  const warnings: Finding[] = [];
  const chains = new Map<string, { readonly agents: readonly string[]; readonly tasks: TaskId[] }>();
  const resolver = plan.resolver === undefined ? [] : [{ id: taskId('resolver'), agent: plan.resolver.agent }];
  for (const { id, agent } of [...everyTask(plan), ...resolver]) {
    const chain = chains.get(agent.join(' ')) ?? { agents: agent, tasks: [] };
    chain.tasks.push(id);
    chains.set(agent.join(' '), chain);
  }
  const lackingOf = (agent: string): { readonly agent: string; readonly because: Finding }[] => {
    const found = readiness.get(agent);
    const mayBeIn = found?.ready === false && found.installed && plan.fence.env.length > 0;
    return found === undefined || found.ready || mayBeIn ? [] : [{ agent, because: found.because }];
  };
  // the run does not need its orchestrator
  for (const { agent } of plan.orchestrator === undefined ? [] : [plan.orchestrator])
    warnings.push(
      ...lackingOf(agent).map((one): Finding => ({ rule: 'agent-unready', tasks: [orchestratorId], ...one })),
    );
  for (const { agents, tasks } of chains.values()) {
    const lacking = agents.flatMap(lackingOf);
    if (lacking.length === agents.length)
      refused.push({ rule: 'no-agent-ready', tasks, findings: lacking.map(({ because }) => because) });
    else warnings.push(...lacking.map((one): Finding => ({ rule: 'agent-unready', tasks, ...one })));
  }
  return { refused, warnings };
}
