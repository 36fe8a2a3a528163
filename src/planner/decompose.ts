import { err, ok, type Result } from '../domain/base/result.ts';
import { safeLine } from '../domain/base/safe-text.ts';
import type { Sha256 } from '../domain/ledger/chain.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import type { Stage } from '../domain/settings/settings.ts';
import { estimate, type Tier } from './complexity.ts';
import { clausesOf, mentions, pathsIn, wordsOf } from './goal-text.ts';
import { type AgentMatch, type AgentType, generalist, matchAgents, type Registry } from './registry.ts';

export const parallelRange = { min: 1, max: 5, default: 3 } as const;
export const turnsRange = { min: 5, max: 200, default: 50 } as const;

/** Fewer turns than these are no attempt at all. */
const fewestTurns = 2;

type Constraints = { readonly maxParallel: number; readonly maxTotalTurns: number };

/** The part of a goal that one agent has. */
export type GoalPart = {
  readonly agent: AgentType;
  /** The clauses that name it. */
  readonly clauses: readonly string[];
  /** The words of the clauses that are for this agent; empty: all of it. */
  readonly about: readonly string[];
};

/** One piece of work for one agent. */
export type PlanStep = {
  readonly step: number;
  readonly wave: number;
  readonly stage: Stage;
  readonly agent: AgentType;
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
 * Splits a goal into waves: understand it, do it, judge it. Each step has its own part of the goal. Where a stage has more steps than
 * may run side by side, the steps of one agent become one, and the rest gets a wave of its own. Equal input gives an equal result.
 */
export function decompose(
  request: { readonly goal: string; readonly session: string; readonly constraints: Constraints },
  registry: Registry,
  sha256: Sha256,
): Result<Decomposition, NotDecomposed> {
  const { goal, constraints } = request;
  if (!/[\p{L}\p{N}]/u.test(goal)) return err({ reason: 'empty-goal', detail: 'the goal says nothing' });
  const waves = stagesOf(goal, registry).flatMap((stage) =>
    chunks(joinByAgent(stage, constraints.maxParallel), constraints.maxParallel),
  );
  const steps = numbered(waves);
  if (steps.length === 0) return err({ reason: 'no-agent', detail: 'the registry has no agent for this goal' });
  const turns = fitTurns(
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
    waves: waves.map((_, wave) => ({
      wave,
      tasks: steps.filter((step) => step.wave === wave).map(({ step }) => step),
    })),
    totalTurns: sum(turns),
  });
}

type Work = Omit<PlanStep, 'step' | 'wave' | 'dependsOn'>;

/** The three stages, without those that have nothing to do. */
function stagesOf(goal: string, registry: Registry): readonly (readonly Work[])[] {
  const line = safeLine(goal).trim();
  const parts = clausesOf(goal).flatMap((clause) => partsOfClause(clause, registry));
  const at = (stage: Stage) => parts.flatMap((one) => (one.stage === stage ? [one.part] : []));
  const [exploring, implementing, validating] = [at('explore'), at('implement'), at('validate')];
  const explorer = registry.find(({ stage }) => stage === 'explore');
  const reviewer =
    registry.find(({ type }) => type === 'code-reviewer') ?? registry.find(({ stage }) => stage === 'validate');
  const isReviewed = implementing.length === 0 || validating.some(({ agent }) => agent === reviewer);
  const wholeGoal = (stage: FixedStage, agent: AgentType | undefined, text: string): readonly Work[] =>
    agent === undefined ? [] : [fixedWork(stage, whole(agent, goal), `${text}: ${line}`)];
  return [
    implementing.length + validating.length === 0
      ? exploring.map((part) => fixedWork('explore', part, `Explore: ${safeLine(partText(part))}`))
      : wholeGoal('explore', explorer, 'Explore and understand the codebase relevant to'),
    implementing.map((part, index) => estimatedWork('implement', part, `Implement${ordinal(index, implementing)}`)),
    [
      ...validating.map((part, index) => estimatedWork('validate', part, `Validate${ordinal(index, validating)}`)),
      ...(isReviewed ? [] : wholeGoal('validate', reviewer, 'Review and validate changes from')),
    ],
  ].filter((stage) => stage.length > 0);
}

/** ` (part 2 of 3)`, where there are several. */
const ordinal = (index: number, parts: readonly GoalPart[]): string =>
  parts.length === 1 ? '' : ` (part ${index + 1} of ${parts.length})`;

type FixedStage = keyof typeof fixedSizes;
/** Steps that every plan gets, whatever the goal. */
const fixedSizes = { explore: { maxTurns: 8, model: 'sonnet' }, validate: { maxTurns: 5, model: 'haiku' } };

function fixedWork(stage: FixedStage, part: GoalPart, description: string): Work {
  const { maxTurns, model } = fixedSizes[stage];
  const { agent } = part;
  return { stage, agent, part, description, complexity: null, maxTurns, model: agent.model ?? model };
}

function estimatedWork(stage: Stage, part: GoalPart, title: string): Work {
  const text = part.clauses.join('; ');
  const paths = pathsIn(text);
  const directories = paths.filter((path) => path.endsWith('/') || path.includes('*')).length;
  const size = estimate(text, { files: paths.length - directories, directories }, part.agent);
  const { complexity, maxTurns, model } = size;
  const description = `${title}: ${safeLine(partText(part))}`;
  return { stage, agent: part.agent, part, description, complexity, maxTurns, model };
}

/** Reduces the steps until they fit side by side: the steps of one agent become one, in the place of the first. */
function joinByAgent(stage: readonly Work[], most: number): readonly Work[] {
  const byAgent = Map.groupBy(stage, ({ agent }) => agent);
  if (stage.length <= most || byAgent.size === stage.length) return stage;
  return [...byAgent].map(([agent, steps]) => {
    const hardest = steps.reduce((a, b) => (b.maxTurns > a.maxTurns ? b : a));
    const parts = steps.map(({ part }) => part);
    const about = parts.some((part) => part.about.length === 0) ? [] : parts.flatMap((part) => part.about);
    return {
      ...hardest,
      part: { agent, clauses: unique(parts.flatMap(({ clauses }) => clauses)), about: unique(about) },
      description: steps.map(({ description }) => description).join('; '),
    };
  });
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];

export function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Every step of a wave depends on all steps of the wave before. */
function numbered(waves: readonly (readonly Work[])[]): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (const [wave, works] of waves.entries()) {
    const before = steps.filter((step) => step.wave === wave - 1).map(({ step }) => step);
    for (const work of works) steps.push({ ...work, step: steps.length, wave, dependsOn: before });
  }
  return steps;
}

/** Scales turns down alike until they fit, none below the fewest; null when even those do not fit. */
function fitTurns(turns: readonly number[], most: number): readonly number[] | null {
  const total = sum(turns);
  if (turns.length * fewestTurns > most) return null;
  if (total <= most) return turns;
  const scaled = turns.map((one) => Math.max(fewestTurns, Math.floor((one * most) / total)));
  for (let over = sum(scaled) - most; over > 0; over -= 1) {
    const largest = scaled.indexOf(Math.max(...scaled));
    scaled[largest] = (scaled[largest] ?? fewestTurns) - 1;
  }
  return scaled;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The words for a part: the clause itself where one agent has all of it. */
export function partText({ clauses, about }: GoalPart): string {
  const text = clauses.join('; ');
  const words = about.map((word) => word.replace('*', '…')).join(', ');
  return about.length === 0 ? text : `the part about ${words} of: ${text}`;
}

/** Returns who explores, implements and validates which part of a clause. Nothing is left out, and no two have the same part. */
function partsOfClause(
  clause: string,
  registry: Registry,
): readonly { readonly stage: Stage; readonly part: GoalPart }[] {
  const matches = matchAgents(clause, registry);
  const at = (stage: Stage) => matches.filter(({ agent }) => agent.stage === stage);
  const [explorer] = at('explore');
  if (explorer !== undefined && leads(clause, explorer.agent.keywords))
    return [{ stage: 'explore', part: whole(explorer.agent, clause) }];
  const validators = at('validate');
  const leading = validators.find(({ agent }) => leads(clause, agent.keywords) || isItsOwn(clause, agent));
  const specialists = at('implement').filter(({ agent }) => agent.type !== generalist);
  const general =
    registry.find(({ type }) => type === generalist) ?? registry.find(({ stage }) => stage === 'implement');
  const needsGeneral = specialists.length === 0 && leading === undefined && general !== undefined;
  const implementing = needsGeneral
    ? [whole(general, clause)]
    : specialists.map((match) => (specialists.length > 1 ? share(match, clause) : whole(match.agent, clause)));
  const validating = validators.map((match) => (match === leading ? whole(match.agent, clause) : share(match, clause)));
  return [
    ...implementing.map((part) => ({ stage: 'implement', part }) as const),
    ...validating.map((part) => ({ stage: 'validate', part }) as const),
  ];
}

const whole = (agent: AgentType, clause: string): GoalPart => ({ agent, clauses: [clause], about: [] });
const share = ({ agent, keywords }: AgentMatch, clause: string): GoalPart => ({
  agent,
  clauses: [clause],
  about: keywords,
});

/** `Review the parser` is a review; `Add a review page` is none. */
const leads = (clause: string, keywords: readonly string[]): boolean =>
  keywords.some((keyword) => mentions(wordsOf(clause).slice(0, keyword.split(' ').length), keyword));

/** `Write tests for the login` is for the agent that writes tests; `Add a login with tests` is not. */
function isItsOwn(clause: string, agent: AgentType): boolean {
  if (agent.role !== 'quality') return false;
  const head = wordsOf(clause.split(/\s(?:with|for|in|to|of|on|that|so|and)\s/iu)[0] ?? '');
  return agent.keywords.some((keyword) => mentions(head, keyword));
}
