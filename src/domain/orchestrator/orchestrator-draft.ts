import { present } from '../base/result.ts';
import type { DraftTask, Place, PlanDraft, PlanProblem } from '../plan/plan-draft.ts';
import type { WrittenOrchestrator } from '../settings/closure-settings.ts';
import { orchestratorId } from './orchestrator.ts';

/** The orchestrator of a plan as a task that nobody wrote, so that its agent is judged as that of a task, and its limits. */
export type DraftOrchestrator = { readonly task: DraftTask; readonly usd: number; readonly minutes: number };

/** The budget of an orchestrator that names none: dollars and minutes of the whole run. */
const usual = { usd: 5, minutes: 240 };

const place: Place = ['orchestrator'];

/** Null when the plan has no orchestrator. */
export function draftOrchestrator({ settings }: Pick<PlanDraft, 'settings'>): DraftOrchestrator | null {
  const { orchestrator, limits } = settings;
  if (orchestrator === null) return null;
  const { agent, command, model, do: text = '', limits: own = {} } = keysOf(orchestrator);
  const keys = { owns: [], ...present({ agent, command, model }) };
  return {
    task: { id: orchestratorId, wave: 0, place, file: null, text, hasFrontMatter: false, keys },
    usd: own.usd ?? Math.min(usual.usd, limits.run.usd),
    minutes: own.minutes ?? usual.minutes,
  };
}

const keysOf = (written: WrittenOrchestrator): Exclude<WrittenOrchestrator, string> =>
  typeof written === 'string' ? { agent: written } : written;

/** Returns mistakes of an orchestrator besides those of its agent. */
export function lintOrchestrator(draft: PlanDraft): readonly PlanProblem[] {
  const orchestrator = draftOrchestrator(draft);
  if (orchestrator === null) return [];
  const { task, usd } = orchestrator;
  const run = draft.settings.limits.run.usd;
  const [program] = task.keys.command ?? [];
  const named = draft.waves.flatMap(({ tasks }) => tasks).filter(({ id }) => id === orchestratorId);
  return [
    ...named.map((one): PlanProblem => ({ rule: 'orchestrator-id', task: one.id, place: one.place, at: 'key' })),
    ...(usd > run ? [{ rule: 'orchestrator-usd', usd, run, place: [...place, 'limits', 'usd'] } as const] : []),
    ...(program !== undefined && isRelative(program)
      ? [{ rule: 'orchestrator-program', program, place: [...place, 'command'] } as const]
      : []),
  ];
}

/** A program of the repository: the orchestrator sees no file of it. */
const isRelative = (program: string): boolean => program.includes('/') && !/^[/~]/.test(program);
