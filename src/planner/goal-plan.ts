import { err, ok, type Result } from '../domain/base/result.ts';
import { safeText } from '../domain/base/safe-text.ts';
import { type Maturity, stepTowards } from '../domain/plan/maturity.ts';
import type { Role } from '../domain/plan/plan.ts';
import { isReadOnly } from '../domain/plan/plan.ts';
import { freeId, type PlanSketch, type SketchedTask, slugOf } from '../domain/plan/plan-text.ts';
import { intersect, pattern } from '../domain/scope/pattern.ts';
import type { WrittenClosure } from '../domain/settings/closure-settings.ts';
import type { ResolvedSettings } from '../domain/settings/settings.ts';
import { taskBrief } from './briefs.ts';
import { chunks, decompose, type PlanStep, parallelRange, partText, turnsRange } from './decompose.ts';
import { nothingOwned, type Ownership, ownedIn } from './goal-ownership.ts';
import { clausesOf } from './goal-text.ts';
import { type AgentType, agentTyped, generalist, type Registry } from './registry.ts';
import { type TemplateName, type TemplateWave, templates } from './templates.ts';

export type GoalPlan = {
  readonly sketch: PlanSketch;
  /** Sentences about what the plan leaves to the person. */
  readonly notes: readonly string[];
};

/** A longer goal is a directive and belongs in a file. */
export const longestGoal = 4_000;

type PlannerOptions = Pick<ResolvedSettings, 'protect' | 'matrix' | 'closure'> & {
  readonly template: TemplateName;
  readonly registry: Registry;
};

/** Makes the plan of a goal. Equal goal, template and settings give an equal plan. */
export function planOfGoal(goal: string, options: PlannerOptions): Result<GoalPlan, string> {
  const text = safeText(goal).trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return err('the goal says nothing; say what is to be done');
  if (text.length > longestGoal)
    return err(`the goal has more than ${longestGoal} characters; write a plan of directive files instead`);
  const constraints = { maxParallel: parallelRange.max, maxTotalTurns: turnsRange.max };
  const decomposed = decompose({ goal: text, session: '', constraints }, options.registry, () => '');
  if (!decomposed.ok) return err(decomposed.error.detail);
  const scene: Scene = {
    ...options,
    goal: text,
    steps: decomposed.value.steps,
    taken: new Set(['constructor']),
    asked: new Map(),
    notes: [],
  };
  const waves: NamedWave[] = [];
  for (const wave of templates[options.template])
    waves.push(...wavesOf(scene, wave, waves.at(-1)?.level ?? wave.level));
  const reviewed = reviewedWaves(waves, scene);
  const sketch: PlanSketch = {
    name: `plan-${slugOf(text, 24)}`,
    agent: null,
    note: `Made by tidegate plan --template ${options.template}, by fixed rules and without a model; change it as you like`,
    waveNames: reviewed.waves.map(({ name }) => name),
    waves: reviewed.waves.map(({ tasks }) => tasks),
    ...(reviewed.closures.length === 0 ? {} : { closures: reviewed.closures }),
  };
  return ok({ sketch, notes: [...new Set(scene.notes)] });
}

type Scene = PlannerOptions & {
  readonly goal: string;
  readonly steps: readonly PlanStep[];
  readonly taken: Set<string>;
  /** The request to each task, by its id. */
  readonly asked: Map<string, string>;
  readonly notes: string[];
};
type NamedWave = { readonly name: string; readonly level: Maturity; readonly tasks: readonly SketchedTask[] };

/** Usually one wave. Several when more tasks are planned than may run side by side, none when there is nothing to do. */
function wavesOf(scene: Scene, wave: TemplateWave, reached: Maturity): readonly NamedWave[] {
  const groups = groupsOf(scene, wave.tasks).filter((group) => group.length > 0);
  const level = stepTowards(reached, wave.level);
  return groups.map((works, at) => ({
    name: at === 0 ? wave.name : `${wave.name}-${at + 1}`,
    level,
    tasks: tasksOf(scene, works, level),
  }));
}

/** Roles of tasks that judge the work of others and change nothing. As closure roles, they decide whether it is merged. */
const reviewing = ['security', 'qa'] as const;
type Reviewing = (typeof reviewing)[number];

const reviewerRole = ({ keys }: SketchedTask): Reviewing | null =>
  (keys !== undefined && isReadOnly(keys) ? reviewing.find((role) => role === keys.role) : undefined) ?? null;

type Reviewed = { readonly waves: readonly NamedWave[]; readonly closures: readonly WrittenClosure[] };

/**
 * Makes reviewers at the end of a plan closure roles of the last wave that changes something. A plan that only reviews has none.
 * `closure` of a wave replaces that of the settings, so roles of the settings are repeated there.
 */
function reviewedWaves(waves: readonly NamedWave[], { asked, closure }: Pick<Scene, 'asked' | 'closure'>): Reviewed {
  const last = waves.findLastIndex(({ tasks }) => tasks.some(({ keys }) => keys?.owns?.length !== 0));
  const isReviewer = (task: SketchedTask): boolean => reviewerRole(task) !== null;
  const reviewers = last === -1 ? [] : waves.slice(last).flatMap(({ tasks }) => tasks.filter(isReviewer));
  if (reviewers.length === 0) return { waves, closures: [] };
  const rest = waves
    .map((wave, at) => (at < last ? wave : { ...wave, tasks: wave.tasks.filter((task) => !isReviewer(task)) }))
    .filter(({ tasks }) => tasks.length > 0);
  const roles = { ...closureOfReviewers(reviewers, asked), ...closure };
  return { waves: rest, closures: rest.map((_, at) => (at === last ? roles : {})) };
}

function closureOfReviewers(reviewers: readonly SketchedTask[], asked: ReadonlyMap<string, string>): WrittenClosure {
  const roles = reviewing.flatMap((role) => {
    const tasks = reviewers.filter((task) => reviewerRole(task) === role);
    if (tasks.length === 0) return [];
    const model = tasks[0]?.keys?.model;
    const brief = tasks.map(({ id }) => asked.get(id) ?? '').join('\n');
    return [[role, { do: brief, ...(model === undefined ? {} : { model }) }] as const];
  });
  return Object.fromEntries(roles);
}

/** A task waits for tasks of its wave that own the same path, and for the one before it if its text refers back to it. */
function tasksOf(scene: Scene, works: readonly Work[], level: Maturity): readonly SketchedTask[] {
  const ids = works.map(({ id }) => freeId(id, scene.taken));
  return works.map((work, at) => {
    const { owns, role, model } = work;
    const needs = ids.filter(
      (_, earlier) =>
        earlier < at && (meet(works[earlier]?.owns, owns) || (earlier === at - 1 && refersBack.test(work.asks))),
    );
    const keys = {
      role,
      ...(owns === null ? {} : { owns }),
      ...(needs.length === 0 ? {} : { needs }),
      ...(model === null ? {} : { model }),
      ...(role === 'quality' ? { allowEmpty: true } : {}),
      ...levelKeys(scene, level),
    };
    scene.asked.set(ids[at] ?? '', work.asks);
    return { id: ids[at] ?? '', do: taskBrief({ ...work, goal: scene.goal }), keys };
  });
}

/** How far the wave brings the work. With a matrix it would be a promotion of a component that the matrix does not have. */
const levelKeys = ({ goal, matrix }: Scene, level: Maturity) =>
  matrix === null ? { components: [slugOf(goal, 24)], exit: { completion: level } } : {};

/** `Document it in docs/api.md` needs the task before it. */
const refersBack = /^\S+ (?:it|its|them|this|that|these|those)\b/iu;

const meet = (ours: readonly string[] | null | undefined, theirs: readonly string[] | null): boolean =>
  (ours ?? []).some((one) => (theirs ?? []).some((other) => intersect(pattern(one), pattern(other)) !== null));

/** One task before it has its place. */
type Work = Ownership & {
  readonly id: string;
  readonly role: Role;
  readonly asks: string;
  readonly files: number;
  readonly forbid: readonly string[];
  readonly model: string | null;
};

function groupsOf(scene: Scene, tasks: TemplateWave['tasks']): readonly (readonly Work[])[] {
  switch (tasks.of) {
    case 'goal':
      return [
        tasks.readers.map(({ id, role, asks }) => ({
          ...limitsOf(null),
          id,
          role,
          asks: `${asks}: ${scene.goal}`,
          ...nothingOwned,
        })),
      ];
    case 'clauses': {
      const agent = agentTyped(generalist, scene.registry);
      const works = clausesOf(scene.goal).map((clause) => ({
        ...limitsOf(agent),
        id: slugOf(clause, 28),
        role: tasks.role,
        asks: clause,
        ...ownedIn(scene, clause, tasks.role),
      }));
      return chunks(works, parallelRange.max);
    }
    case 'explore':
    case 'implement':
    case 'validate': {
      const steps = scene.steps.filter(({ stage }) => stage === tasks.of);
      return [...Map.groupBy(steps, ({ wave }) => wave).values()].map((group) =>
        group.map((step) => workOf(scene, step)),
      );
    }
  }
}

function workOf(scene: Scene, step: PlanStep): Work {
  const { stage, agent, part } = step;
  const isWhole = part.clauses.length === 1 && part.clauses[0] === scene.goal && part.about.length === 0;
  const writes = stage === 'implement' || agent.role === 'quality';
  const id = isWhole && stage === 'explore' ? 'explore' : isWhole && stage === 'validate' ? 'review' : null;
  return {
    ...limitsOf(agent),
    id:
      id ??
      slugOf(part.about.length === 0 ? (part.clauses[0] ?? '') : `${part.about.join(' ')} ${part.clauses[0]}`, 28),
    role: agent.role,
    asks: id === null ? partText(part) : step.description,
    ...(writes ? ownedIn(scene, part.clauses.join('; '), agent.role) : nothingOwned),
  };
}

const limitsOf = (agent: AgentType | null): Pick<Work, 'files' | 'forbid' | 'model'> => ({
  files: agent?.files ?? 0,
  forbid: agent?.forbid ?? [],
  model: agent?.model ?? null,
});
