import type { Maturity } from '../domain/plan/maturity.ts';
import type { Role } from '../domain/plan/plan.ts';

export const templateNames = ['implementation', 'qa', 'infra', 'release'] as const;
export type TemplateName = (typeof templateNames)[number];

/** One wave of a kind of work. `level`: how far it brings the work, never more than one step further than the wave before. */
export type TemplateWave = {
  readonly name: string;
  readonly level: Maturity;
  /** A stage of the decomposition, every clause of the goal under one role, or tasks that read the whole goal. */
  readonly tasks:
    | { readonly of: 'explore' | 'implement' | 'validate' }
    | { readonly of: 'clauses'; readonly role: Role }
    | { readonly of: 'goal'; readonly readers: readonly Reader[] };
};
/** A task that changes nothing: its handoff is its result. */
type Reader = { readonly id: string; readonly role: Role; readonly asks: string };

const reading = (name: string, level: Maturity, ...readers: readonly Reader[]): TemplateWave => ({
  name,
  level,
  tasks: { of: 'goal', readers },
});
const reader = (id: string, role: Role, asks: string): Reader => ({ id, role, asks });

export const templates: Readonly<Record<TemplateName, readonly TemplateWave[]>> = {
  implementation: [
    { name: 'explore', level: 'contract-frozen', tasks: { of: 'explore' } },
    { name: 'implement', level: 'repo-landed', tasks: { of: 'implement' } },
    { name: 'validate', level: 'baseline-proved', tasks: { of: 'validate' } },
  ],
  qa: [
    reading(
      'survey',
      'repo-landed',
      reader(
        'survey',
        'discovery',
        'Find out which behaviour is tested today and which is not, as far as it concerns this goal',
      ),
    ),
    { name: 'prove', level: 'baseline-proved', tasks: { of: 'clauses', role: 'quality' } },
    reading('judge', 'baseline-proved', reader('judge', 'qa', 'Judge as a user would whether the tests prove this')),
  ],
  infra: [
    reading(
      'design',
      'contract-frozen',
      reader('design', 'design', 'Design this: what is there today, the options, the one to take, and how to go back'),
    ),
    { name: 'build', level: 'repo-landed', tasks: { of: 'clauses', role: 'infra' } },
    reading(
      'verify',
      'baseline-proved',
      reader('verify', 'qa', 'Verify that this can be repeated and undone, and that no step is missing'),
      reader('security-review', 'security', 'Look for secrets, open access and unpinned versions in this'),
    ),
  ],
  release: [
    reading(
      'survey',
      'repo-landed',
      reader(
        'survey',
        'discovery',
        'List what changed since the last release and what is still open, as far as it concerns this goal',
      ),
    ),
    { name: 'prepare', level: 'repo-landed', tasks: { of: 'clauses', role: 'finalization' } },
    reading(
      'prove',
      'baseline-proved',
      reader('judge', 'qa', 'Judge whether this is complete and can be released'),
      reader(
        'rollout',
        'deploy',
        'Describe step by step how a person releases this, checks that it works and goes back',
      ),
    ),
  ],
};
