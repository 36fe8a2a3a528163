/** The closure roles of a wave, in the order in which they run. QA is always the last one. */
export const closureRoles = ['eval', 'security', 'integration', 'docs', 'infra', 'deploy', 'qa'] as const;
export type ClosureRole = (typeof closureRoles)[number];

/** The words that a role may report. The wave may close on those of `closes`. */
type RoleWords = { readonly words: readonly string[]; readonly closes: readonly string[] };

export const roleWords: Readonly<Record<ClosureRole, RoleWords>> = {
  eval: { words: ['satisfied', 'needs-more-work', 'blocked'], closes: ['satisfied'] },
  security: { words: ['clear', 'concerns', 'blocked'], closes: ['clear', 'concerns'] },
  integration: { words: ['ready', 'needs-more-work'], closes: ['ready'] },
  docs: { words: ['closed', 'no-change', 'delta'], closes: ['closed', 'no-change'] },
  infra: {
    words: [
      'checking',
      'setup-required',
      'setup-in-progress',
      'conformant',
      'drift',
      'blocked',
      'failed',
      'action-required',
      'action-approved',
      'action-complete',
    ],
    closes: ['conformant', 'action-complete'],
  },
  deploy: { words: ['deploying', 'healthy', 'failed', 'rolled-back'], closes: ['healthy'] },
  qa: { words: ['pass', 'concerns', 'blocked'], closes: ['pass'] },
};

/** The parts of a wave that QA may judge one by one. */
export const qaDimensions = ['architecture', 'integration', 'durability', 'live', 'docs'] as const;
export type QaDimension = (typeof qaDimensions)[number];

/** QA judges the whole tree; every other role judges it without what closure roles add. */
export const judgesWholeTree = (role: ClosureRole): boolean => role === 'qa';

/** The id of a closure role in a run. People count waves from 1. */
export const roleId = (role: ClosureRole, wave: number): string => `wave-${wave + 1}-${role}`;
