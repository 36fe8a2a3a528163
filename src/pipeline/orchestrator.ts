import { agentKinds } from '../agents/agents.ts';
import { continuesByItself } from '../domain/agents/provider.ts';
import { isPaused } from '../domain/agents/provider-pause.ts';
import { approvalProof } from '../domain/gates/phase.ts';
import { viewNameOf } from '../domain/orchestrator/guidance.ts';
import {
  isUnspent,
  type LiveOrchestrator,
  nextOrchestrator,
  orchestratorAllowance,
} from '../domain/orchestrator/orchestrator.ts';
import { runSpend } from '../domain/run/costs.ts';
import type { RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { policy } from '../domain/settings/policy.ts';
import { effect, fact, type Step, type StepInputs } from './step.ts';

/**
 * The resident orchestrator, beside all phases: it starts when tasks run, and is ended when the run has nothing to do, whatever the
 * reason. No phase sees it, and no phase waits for it. `others` are all other steps of the run.
 */
export function orchestrator(state: RunState, inputs: StepInputs, others: readonly Step[]): readonly Step[] {
  const live = state.orchestrator?.live ?? null;
  if (live === null) return start(state, inputs);
  const supervise = effect(`supervise ${live.id}`, { do: 'orchestrate', orchestrator: live });
  if (!isWanted(state, live, others))
    return [supervise, effect(`stop ${live.id}`, { do: 'stop-orchestrator', orchestrator: live })];
  const view = viewNameOf(state);
  // before it has started there is no listener
  if (view === live.view || !live.isStarted) return [supervise];
  return [supervise, effect(`tell ${live.id} ${view}`, { do: 'tell-orchestrator', orchestrator: live, view })];
}

function isWanted(state: RunState, live: LiveOrchestrator, others: readonly Step[]): boolean {
  if (state.ended !== null || state.abandoned !== null || state.hash !== live.hash) return false;
  if (state.mode.mode === 'stopped') return false;
  // a halted run has steps that it does not take
  if (state.mode.mode === 'halted') return Object.values(state.tasks).some(isLive);
  return others.length > 0 || continuesByItself(state);
}

function start(state: RunState, { nonce }: StepInputs): readonly Step[] {
  const { plan, hash, ended, abandoned, mode, providers } = state;
  if (plan.orchestrator === undefined || ended !== null || abandoned !== null || mode.mode !== 'active') return [];
  if (!isUnspent(state, policy.orchestratorStarts)) return [];
  const isWorking = Object.values(state.tasks).some((task) => isLive(task) && approvalProof(state, task.wave) !== null);
  const { agent } = plan.orchestrator;
  if (!isWorking || isPaused(providers, agentKinds[agent]?.provider ?? '')) return [];
  const spend = runSpend(state);
  const { usd, minutes } = orchestratorAllowance(state, plan.orchestrator, spend.limit - spend.used);
  if (usd <= 0 || minutes <= 0) return [];
  const { id: attempt, number } = nextOrchestrator(state);
  const limits = { usd, minutes, most: policy.orchestratorStarts };
  const view = viewNameOf(state);
  return [fact({ type: 'orchestrator-intended', attempt, number, nonce: nonce(), agent, hash, ...limits, view })];
}
