import { err, ok, type Result } from '../domain/base/result.ts';
import { safeLine } from '../domain/base/safe-text.ts';
import type { Sha256 } from '../domain/ledger/chain.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import type { Stage } from '../domain/settings/settings.ts';
import { estimate, type Tier } from './complexity.ts';
import { type GoalPart, goalParts, type Parts, partText } from './parts.ts';
import { pathsIn } from './paths.ts';
import type { AgentType, Registry } from './registry.ts';

export const parallelRange = { min: 1, max: 5, default: 3 } as const;
export const turnsRange = { min: 5, max: 200, default: 50 } as const;

/** Fewer turns than these are no attempt at all. */
const fewestTurns = 2;

type Constraints = { readonly maxParallel: number; readonly maxTotalTurns: number };

/** One piece of work for one agent. */
export type PlanStep = {
  readonly step: number;
  readonly wave: number;
  readonly stage: Stage;
  readonly agent: AgentType;
  /** What of the goal it has. */
  readonly part: GoalPart;
  readonly description: string;
  readonly complexity: Tier | null;
  readonly maxTurns: number;
  readonly model: string;
  readonly dependsOn: readonly number[];
};

type Decomposition = {
  readonly id: string;
  readonly steps: readonly PlanStep[];
  readonly waves: readonly { readonly wave: number; readonly tasks: readonly number[] }[];
  readonly totalTurns: number;
};
type NotDecomposed = { readonly reason: 'empty-goal' | 'too-few-turns' | 'no-agent'; readonly detail: string };

/**
 * A goal in waves: understand it, do it, judge it. Each step has its own part of the goal; where there are more than may work side by
 * side, those of one agent become one and the rest waits for a wave of its own. The same input always gives the same.
 */
export function decompose(
  request: { readonly goal: string; readonly session: string; readonly constraints: Constraints },
  registry: Registry,
  sha256: Sha256,
): Result<Decomposition, NotDecomposed> {
  const { goal, constraints } = request;
  if (!/[\p{L}\p{N}]/u.test(goal)) return err({ reason: 'empty-goal', detail: 'the goal says nothing' });
  const planned = stagesOf(goal, goalParts(goal, registry), registry).flatMap((stage) =>
    chunked(joined(stage, constraints.maxParallel), constraints.maxParallel),
  );
  const steps = numbered(planned);
  if (steps.length === 0) return err({ reason: 'no-agent', detail: 'the registry has no agent that could do it' });
  const turns = fitted(
    steps.map(({ maxTurns }) => maxTurns),
    constraints.maxTotalTurns,
  );
  if (turns === null) {
    const least = steps.length * fewestTurns;
    const detail = `${steps.length} steps take at least ${least} turns, and ${constraints.maxTotalTurns} are allowed`;
    return err({ reason: 'too-few-turns', detail });
  }
  return ok({
    id: `plan_${sha256(canonicalJson({ request, registry })).slice(0, 16)}`,
    steps: steps.map((step, at) => ({ ...step, maxTurns: turns[at] ?? step.maxTurns })),
    waves: planned.map((_, wave) => ({
      wave,
      tasks: steps.filter((step) => step.wave === wave).map(({ step }) => step),
    })),
    totalTurns: turns.reduce((sum, one) => sum + one, 0),
  });
}

type Planned = Omit<PlanStep, 'step' | 'wave' | 'dependsOn'>;

/** The three stages, those with nothing to do left out. */
function stagesOf(goal: string, parts: Parts, registry: Registry): readonly (readonly Planned[])[] {
  const line = safeLine(goal).trim();
  const all = [...parts.implement, ...parts.validate];
  const explorer = registry.find(({ stage }) => stage === 'explore');
  const overview = (agent: AgentType): Planned => ({
    ...exploring(agent, { agent, clauses: [goal], about: [] }),
    description: `Explore and understand the codebase relevant to: ${line}`,
  });
  const explore =
    all.length > 0
      ? explorer === undefined
        ? []
        : [overview(explorer)]
      : parts.explore.map((part) => ({
          ...exploring(part.agent, part),
          description: `Explore: ${safeLine(partText(part))}`,
        }));
  const implement = parts.implement.map((part, at) => ({
    ...worked('implement', part),
    description: `Implement${placed(at, parts.implement)}: ${safeLine(partText(part))}`,
  }));
  const validate = parts.validate.map((part, at) => ({
    ...worked('validate', part),
    description: `Validate${placed(at, parts.validate)}: ${safeLine(partText(part))}`,
  }));
  const reviewer = reviewerIn(registry);
  const isReviewed = reviewer === undefined || parts.validate.some(({ agent }) => agent === reviewer);
  const review: readonly Planned[] =
    parts.implement.length === 0 || isReviewed
      ? []
      : [
          {
            ...brief('validate', reviewer, { agent: reviewer, clauses: [goal], about: [] }, 5, 'haiku'),
            description: `Review and validate changes from: ${line}`,
          },
        ];
  return [explore, implement, [...validate, ...review]].filter((stage) => stage.length > 0);
}

/** ` (part 2 of 3)`, where there are several. */
function placed(at: number, among: readonly GoalPart[]): string {
  return among.length === 1 ? '' : ` (part ${at + 1} of ${among.length})`;
}

const reviewerIn = (registry: Registry): AgentType | undefined =>
  registry.find(({ type }) => type === 'code-reviewer') ?? registry.find(({ stage }) => stage === 'validate');

const exploring = (agent: AgentType, part: GoalPart) => brief('explore', agent, part, 8, 'sonnet');

const brief = (stage: Stage, agent: AgentType, part: GoalPart, maxTurns: number, model: string) => ({
  stage,
  agent,
  part,
  complexity: null,
  maxTurns,
  model: agent.model ?? model,
});

function worked(stage: Stage, part: GoalPart) {
  const text = part.clauses.join('; ');
  const paths = pathsIn(text);
  const directories = paths.filter((path) => path.endsWith('/') || path.includes('*')).length;
  const { complexity, maxTurns, model } = estimate(
    text,
    { files: paths.length - directories, directories },
    part.agent,
  );
  return { stage, agent: part.agent, part, complexity, maxTurns, model };
}

/** As few steps as are needed to fit side by side: those of one agent become one, in the place of the first. */
function joined(stage: readonly Planned[], most: number): readonly Planned[] {
  const agents = [...new Set(stage.map(({ agent }) => agent))];
  if (stage.length <= most || agents.length === stage.length) return stage;
  return agents.map((agent) => {
    const own = stage.filter((step) => step.agent === agent);
    const [first] = own;
    if (first === undefined || own.length === 1) return first as Planned;
    const hardest = own.reduce((a, b) => (b.maxTurns > a.maxTurns ? b : a));
    const clauses = own.flatMap(({ part }) => part.clauses);
    const about = own.some(({ part }) => part.about.length === 0) ? [] : own.flatMap(({ part }) => part.about);
    return {
      ...hardest,
      part: { agent, clauses: [...new Set(clauses)], about: [...new Set(about)] },
      description: own.map(({ description }) => description).join('; '),
    };
  });
}

function chunked<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Every step of a wave depends on all of the wave before. */
function numbered(waves: readonly (readonly Planned[])[]): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (const [wave, planned] of waves.entries()) {
    const before = steps.filter((step) => step.wave === wave - 1).map(({ step }) => step);
    for (const one of planned) steps.push({ ...one, step: steps.length, wave, dependsOn: before });
  }
  return steps;
}

/** Scaled down alike until they fit, none below the fewest; null when even those do not. */
function fitted(turns: readonly number[], most: number): readonly number[] | null {
  const total = turns.reduce((sum, one) => sum + one, 0);
  if (turns.length * fewestTurns > most) return null;
  if (total <= most) return turns;
  const scaled = turns.map((one) => Math.max(fewestTurns, Math.floor((one * most) / total)));
  for (let over = scaled.reduce((sum, one) => sum + one, 0) - most; over > 0; over -= 1) {
    const largest = scaled.indexOf(Math.max(...scaled));
    scaled[largest] = (scaled[largest] ?? fewestTurns) - 1;
  }
  return scaled;
}
