import { withoutPaths } from './paths.ts';
import type { AgentType } from './registry.ts';
import { mentions, wordsOf } from './words.ts';

export const tiers = ['trivial', 'simple', 'moderate', 'complex', 'expert'] as const;
export type Tier = (typeof tiers)[number];

export type Estimate = {
  readonly complexity: Tier;
  readonly maxTurns: number;
  readonly model: string;
  /** The word that decided; null: it was how many files it is about. */
  readonly keyword: string | null;
};

type Row = {
  readonly turns: number;
  readonly model: string;
  /** Where no keyword speaks: up to so many files. */
  readonly files: number;
  readonly keywords: readonly string[];
};
const table: Readonly<Record<Tier, Row>> = {
  trivial: row(3, 'haiku', 1, 'fix typo, rename, update comment, single line'),
  simple: row(5, 'haiku', 3, 'add field, update config, small change, one file'),
  moderate: row(10, 'sonnet', 8, 'refactor, implement, create component, multi-file'),
  complex: row(20, 'sonnet', 15, 'explore, audit, analyze, analyse, investigate, debug'),
  expert: row(30, 'opus', Number.POSITIVE_INFINITY, 'architecture, redesign, migration, security audit'),
};

/**
 * How much work a description is: by keywords, the hardest first, then by files. A name such as `docs/architecture.md` is no
 * keyword. A directory, and work that names no file at all, may be as many files as its agent may change.
 */
export function estimate(
  description: string,
  targets: { readonly files: number; readonly directories: number },
  agent: Pick<AgentType, 'files' | 'model'>,
): Estimate {
  const words = wordsOf(withoutPaths(description));
  const named = targets.files + targets.directories;
  const files = targets.directories > 0 || named === 0 ? Math.max(named, agent.files) : named;
  for (const complexity of tiers.toReversed()) {
    const keyword = table[complexity].keywords.find((one) => mentions(words, one));
    if (keyword !== undefined) return estimated(complexity, agent, keyword);
  }
  const complexity = tiers.find((tier) => files <= table[tier].files) ?? 'expert';
  return estimated(complexity, agent, null);
}

function estimated(complexity: Tier, { model }: Pick<AgentType, 'model'>, keyword: string | null): Estimate {
  const { turns, model: usual } = table[complexity];
  return { complexity, maxTurns: turns, model: model ?? usual, keyword };
}

function row(turns: number, model: string, files: number, keywords: string): Row {
  return { turns, model, files, keywords: keywords.split(', ') };
}
