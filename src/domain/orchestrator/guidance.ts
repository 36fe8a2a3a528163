import type { AgentNote } from '../agents/agent-note.ts';
import { fingerprint } from '../base/fingerprint.ts';
import type { TaskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { PostTarget, RecordPlace } from '../board/board.ts';
import { readPost } from '../board/board-requests.ts';
import { isCapability } from '../board/routing.ts';
import { plannedIn } from '../derived/derived-tasks.ts';
import type { Finding } from '../findings/finding.ts';
import { titleOf } from '../plan/commit-subject.ts';
import { plannedStates, type RunState } from '../run/run.ts';
import { attemptOf, type TaskState } from '../run/task.ts';

/** The run as its orchestrator sees it, beside the board. */
export type RunOverview = { readonly waves: readonly WaveLine[]; readonly tasks: readonly TaskLine[] };

type WaveLine = { readonly wave: number; readonly name: string; readonly state: 'open' | 'closed' };

type TaskLine = {
  readonly task: TaskId;
  /** Counted from 1, as people do. */
  readonly wave: number;
  readonly title: string;
  readonly status: TaskState['progress']['status'];
  readonly launches: number;
  readonly agent: string | null;
  readonly owns: readonly string[] | null;
  readonly needs: readonly TaskId[];
  readonly capabilities: readonly string[];
};

export const overviewOf = (state: RunState): RunOverview => ({
  waves: state.plan.waves.map(({ name }, index) => ({
    wave: index + 1,
    name,
    state: state.waves[index]?.closed === true ? 'closed' : 'open',
  })),
  tasks: plannedStates(state).flatMap((task) => lineOf(state, task)),
});

function lineOf(state: RunState, task: TaskState): readonly TaskLine[] {
  const planned = plannedIn(state, task.id);
  if (planned === undefined) return [];
  const { id, wave, progress, launches } = task;
  const { owns, needs, capabilities } = planned;
  const agent = attemptOf(task)?.agent ?? null;
  const { status } = progress;
  return [{ task: id, wave: wave + 1, title: titleOf(planned), status, launches, agent, owns, needs, capabilities }];
}

/** Identifies what the orchestrator can read of the run. It changes with every record, and with every step of a task. */
export function viewNameOf(state: RunState): string {
  const tasks = Object.values(state.tasks).map(({ id, progress, launches }) => `${id} ${progress.status} ${launches}`);
  const waves = state.waves.map(({ closed }) => (closed ? 'closed' : 'open'));
  return fingerprint([state.termsCount, state.board.length, ...waves, ...tasks].join('\n'));
}

type Guided = { readonly place: RecordPlace } | { readonly refused: Finding } | Record<string, never>;

/** Decides what a note of the orchestrator does to the board: it adds guidance, or nothing. */
export function decideGuidance(state: RunState, note: AgentNote, at: string): Guided {
  if (note.note === 'acted') return { refused: { rule: 'orchestrator-only' } };
  if (note.note !== 'posted') return {};
  const read = readPost(note, 'orchestrator');
  if (!read.ok) return { refused: read.error };
  const audience = audienceOf(overviewOf(state), read.value.target);
  if (!audience.ok) return { refused: audience.error };
  return { place: { id: String(state.board.length + 1), status: 'closed', at, ...audience.value } };
}

type Audience = Pick<RecordPlace, 'to' | 'tasks'>;

/** Returns who reads guidance: a task, all tasks, or every task with a capability. None of them is chosen before the others. */
export function audienceOf({ tasks }: Pick<RunOverview, 'tasks'>, target: PostTarget): Result<Audience, Finding> {
  if (target === 'all') return ok({ to: target });
  if (isCapability(target)) {
    const name = target.slice('capability:'.length);
    const able = tasks.filter(({ capabilities }) => capabilities.includes(name)).map(({ task }) => task);
    return able.length === 0 ? err({ rule: 'guidance-reader', named: target }) : ok({ to: 'all', tasks: able });
  }
  const known = tasks.find(({ task }) => task === target);
  return known !== undefined ? ok({ to: known.task }) : err({ rule: 'guidance-reader', named: target });
}
