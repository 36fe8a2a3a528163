import { mentions, withoutPaths, wordsOf } from './goal-text.ts';
import type { AgentType } from './registry.ts';

export const tiers = ['trivial', 'simple', 'moderate', 'complex', 'expert'] as const;
export type Tier = (typeof tiers)[number];

export type Estimate = {
  readonly complexity: Tier;
  readonly maxTurns: number;
  readonly model: string;
  /** The word that decided; null: the number of files did. */
  readonly keyword: string | null;
};

/** `files`: the most files of a tier, where no keyword decides. */
const tierTable: Readonly<Record<Tier, { maxTurns: number; model: string; files: number; keywords: string }>> = {
  trivial: { maxTurns: 3, model: 'haiku', files: 1, keywords: 'fix typo, rename, update comment, single line' },
  simple: { maxTurns: 5, model: 'haiku', files: 3, keywords: 'add field, update config, small change, one file' },
  moderate: { maxTurns: 10, model: 'sonnet', files: 8, keywords: 'refactor, implement, create component, multi-file' },
  complex: {
    maxTurns: 20,
    model: 'sonnet',
    files: 15,
    keywords: 'explore, audit, analyze, analyse, investigate, debug',
  },
  expert: {
    maxTurns: 30,
    model: 'opus',
    files: Infinity,
    keywords: 'architecture, redesign, migration, security audit',
  },
};

/**
 * Estimates how much work a description is: by keywords, the hardest first, then by files. A name such as `docs/architecture.md` is no
 * keyword. A directory, and work that names no file, counts as many files as its agent may change.
 */
export function estimate(
  description: string,
  targets: { readonly files: number; readonly directories: number },
  agent: Pick<AgentType, 'files' | 'model'>,
): Estimate {
  const words = wordsOf(withoutPaths(description));
  const named = targets.files + targets.directories;
  const files = targets.directories > 0 || named === 0 ? Math.max(named, agent.files) : named;
  const [hardest] = tiers.toReversed().flatMap((tier) => {
    const keyword = tierTable[tier].keywords.split(', ').find((one) => mentions(words, one));
    return keyword === undefined ? [] : [{ tier, keyword }];
  });
  const complexity = hardest?.tier ?? tiers.find((tier) => files <= tierTable[tier].files) ?? 'expert';
  const { maxTurns, model } = tierTable[complexity];
  return { complexity, maxTurns, model: agent.model ?? model, keyword: hardest?.keyword ?? null };
}
