import type { ProviderState } from '../agents/provider.ts';
import { providerOf } from '../agents/provider-pause.ts';
import type { TaskId } from '../base/ids.ts';
import { isGood, standingOf } from '../checks/standing.ts';
import { plannedIn } from '../derived/derived-tasks.ts';
import type { Finding } from '../findings/finding.ts';
import type { Shortage } from '../kept/disk.ts';
import { plannedById } from '../plan/plan.ts';
import { mustSerialise } from '../scope/ownership.ts';
import { policy } from '../settings/policy.ts';
import { isOver, runSpend, type Spend, taskSpend } from './costs.ts';
import { checkKey, currentWave, type RunState, tasksOfWave } from './run.ts';
import { blockingNeed, inTheWay, isLive, isMet, launchHalt, needsOfTask } from './schedule.ts';
import { agentOf, isResolved, liveAttempt, type TaskState } from './task.ts';

/** The first obstacle to the start of a waiting task, in the order in which obstacles are removed. */
export type Wait =
  /** The run itself is paused, stopped or halted. */
  | { readonly on: 'mode' }
  | { readonly on: 'launch'; readonly because: Finding }
  /** Another task of its wave could not be started. */
  | { readonly on: 'wave-halt'; readonly task: TaskId; readonly because: Finding }
  | { readonly on: 'wave'; readonly wave: number; readonly open: readonly TaskId[] }
  /** With `schedule: eager`: a task of an earlier wave may write paths that this one writes or reads. */
  | { readonly on: 'earlier'; readonly task: TaskId }
  | { readonly on: 'need'; readonly task: TaskId; readonly locked: readonly string[] }
  | { readonly on: 'approval' }
  | { readonly on: 'budget'; readonly of: 'task' | 'run'; readonly spend: Spend }
  | { readonly on: 'room'; readonly shortage: Shortage }
  | { readonly on: 'run-branch' }
  | { readonly on: 'base-check'; readonly check: string }
  | Obstacle
  | { readonly on: 'place'; readonly running: readonly TaskId[] }
  | { readonly on: 'launches'; readonly launching: readonly TaskId[] }
  | { readonly on: 'task-base' }
  | { readonly on: 'nothing' };

/** An obstacle for a task that may start, but not in the next free slot. */
type Obstacle =
  | {
      readonly on: 'provider';
      readonly provider: string;
      readonly pause: ProviderState & { readonly status: 'paused' };
    }
  /** The plan allows no more tasks of this agent at a time. */
  | { readonly on: 'agents'; readonly agent: string; readonly most: number }
  /** Both tasks share a path, so they run one after the other. */
  | { readonly on: 'shared'; readonly task: TaskId };

export function waitOf(state: RunState, task: TaskState & { readonly progress: { readonly status: 'waiting' } }): Wait {
  if (state.mode.mode !== 'active') return { on: 'mode' };
  if (task.progress.next.halt !== null) return { on: 'launch', because: task.progress.next.halt };
  return orderWait(state, task) ?? permissionWait(state, task) ?? slotWait(state, task);
}

/** Earlier waves and tasks. */
function orderWait(state: RunState, task: TaskState): Wait | null {
  const wave = currentWave(state);
  if (wave !== undefined && task.wave > wave.index) {
    const open = tasksOfWave(state, wave.index).filter((other) => !isResolved(other));
    if (state.plan.schedule === 'strict') return { on: 'wave', wave: wave.index, open: open.map(({ id }) => id) };
    const earlier = inTheWay(state, task);
    if (earlier !== undefined) return { on: 'earlier', task: earlier.id };
  }
  const halt = launchHalt(state, task.wave);
  if (halt !== null) return { on: 'wave-halt', ...halt };
  const need = blockingNeed(state, task) ?? needsOfTask(state, task).find((id) => !isMet(state, id));
  if (need === undefined) return null;
  return { on: 'need', task: need, locked: plannedById(state.plan, need)?.locks ?? [] };
}

/** Approval, budget, room, and a base that passes its checks. */
function permissionWait(state: RunState, task: TaskState): Wait | null {
  if (state.waves[task.wave]?.approval === null) return { on: 'approval' };
  const [own, whole] = [taskSpend(state, task), runSpend(state)];
  if (isOver(own)) return { on: 'budget', of: 'task', spend: own };
  if (isOver(whole)) return { on: 'budget', of: 'run', spend: whole };
  if (state.shortage !== null) return { on: 'room', shortage: state.shortage };
  if (state.branch === null) return { on: 'run-branch' };
  const check = uncheckedOnBase(state);
  return check === null ? null : { on: 'base-check', check };
}

/** The first check that does not let tasks start from this tree. Closed waves were checked as candidates. */
export function uncheckedOnBase({ branch, plan, checks }: RunState): string | null {
  if (branch === null) return null;
  const unchecked = plan.checks.find((check) => {
    const outcome = checks[checkKey(branch.tree, check.name)];
    return !isGood(standingOf(check, outcome, outcome));
  });
  return unchecked?.name ?? null;
}

function slotWait(state: RunState, task: TaskState): Wait {
  const running = Object.values(state.tasks).filter(isLive);
  const obstacle = obstacleTo(state, task, running);
  if (obstacle !== null) return obstacle;
  if (running.length >= state.plan.limits.parallel) return { on: 'place', running: running.map(({ id }) => id) };
  const launching = running.filter(({ progress }) => progress.status === 'launching').map(({ id }) => id);
  if (launching.length >= policy.launching) return { on: 'launches', launching };
  return { on: task.base === null ? 'task-base' : 'nothing' };
}

/** `running`: the active tasks, and those that start before this one. */
export function obstacleTo(state: RunState, task: TaskState, running: readonly TaskState[]): Obstacle | null {
  const planned = plannedIn(state, task.id);
  if (planned === undefined) return null;
  const provider = providerOf(task);
  const pause = state.providers[provider];
  if (pause?.status === 'paused') return { on: 'provider', provider, pause };
  const agent = agentOf(task);
  const most = state.plan.limits.agents?.[agent];
  if (
    most !== undefined &&
    running.filter((other) => (liveAttempt(other)?.agent ?? agentOf(other)) === agent).length >= most
  )
    return { on: 'agents', agent, most };
  const other = running.find(({ id }) => mustSerialise(state.plan, task.id, id));
  return other === undefined ? null : { on: 'shared', task: other.id };
}
