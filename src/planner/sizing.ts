import type { TaskSize } from '../domain/findings/plan-rules.ts';
import {
  agentsOf,
  type DraftTask,
  type DraftWave,
  ownsOf,
  type PlanDraft,
  type PlanProblem,
} from '../domain/plan/plan-draft.ts';
import type { ResolvedSettings, Settings } from '../domain/settings/settings.ts';
import { estimate } from './complexity.ts';
import { parallelRange } from './decompose.ts';

/** The most that one agent can be expected to do in 5 to 15 minutes. */
export const most = { patterns: 15, lines: 150, minutes: 120 } as const;

/** Warns of tasks and waves that are plainly too large. `written` are the settings of the plan itself. */
export function lintSizing(draft: PlanDraft, written: Settings): readonly PlanProblem[] {
  const { settings, waves } = draft;
  const writers = waves.map((wave) => ({ ...wave, tasks: wave.tasks.filter((task) => isWriter(task, settings)) }));
  return [
    ...writers.flatMap((wave) => wave.tasks.flatMap(tooLarge)),
    ...writers.flatMap((wave) => tooMany(wave, settings.limits.parallel)),
    ...tooLong(written.limits?.minutes),
  ];
}

/** Tasks that only read may read everything, and a person's own program needs no advice. */
const isWriter = (task: DraftTask, settings: ResolvedSettings): boolean =>
  ownsOf(task)?.length !== 0 && agentsOf(task, settings).some((agent) => agent !== 'command');

function tooLarge(task: DraftTask): readonly PlanProblem[] {
  const size = excessOf(task);
  return size === null ? [] : [{ rule: 'task-large', task: task.id, size, place: task.place, at: 'key' }];
}

/** Null: it is not too large. */
function excessOf({ text, wave, keys: { owns } }: DraftTask): TaskSize | null {
  if (text === null) return null;
  if (owns && owns.length > most.patterns) return { of: 'patterns', count: owns.length };
  const lines = text.trim().split('\n').length;
  if (lines > most.lines) return { of: 'lines', count: lines };
  // later waves build on the findings of an earlier one
  if (wave > 0) return null;
  const isWide = owns === undefined || owns === null || owns.some((path) => /^\*|^[^/]+\/(?:\*\*)?$/.test(path));
  const { complexity, keyword } = estimate(goalOf(text), { files: 1, directories: 0 }, { files: 1, model: null });
  return isWide && complexity === 'expert' && keyword !== null ? { of: 'work', keyword } : null;
}

/** The first words that are not a heading. */
const goalOf = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((block) => block.replaceAll(/^#.*$/gm, '').trim())
    .find((block) => block !== '') ?? '';

function tooMany(wave: DraftWave, parallel: number): readonly PlanProblem[] {
  const free = wave.tasks.filter(({ keys }) => (keys.needs ?? []).length === 0);
  const count = Math.min(free.length, parallel);
  if (count <= parallelRange.max) return [];
  return [{ rule: 'wave-wide', tasks: count, most: parallelRange.max, place: wave.place }];
}

function tooLong(minutes: number | undefined): readonly PlanProblem[] {
  if (minutes === undefined || minutes <= most.minutes) return [];
  return [{ rule: 'minutes-long', minutes, place: ['limits', 'minutes'] }];
}
