import type { Maturity } from '../domain/plan/maturity.ts';
import type { Role } from '../domain/plan/plan.ts';

export const templateNames = ['implementation', 'qa', 'infra', 'release'] as const;
export type TemplateName = (typeof templateNames)[number];

/** The waves of a kind of work, and how far each of them brings it: never more than one step. */
type Template = readonly TemplateWave[];
export type TemplateWave = {
  readonly name: string;
  readonly level: Maturity;
  /** A stage of the decomposition; every clause of the goal under one role; or a task that reads the whole of it. */
  readonly tasks:
    | { readonly of: 'explore' | 'implement' | 'validate' }
    | { readonly of: 'clauses'; readonly role: Role }
    | { readonly of: 'goal'; readonly readers: readonly Reader[] };
};
/** A task that changes nothing: its handoff is its result. */
type Reader = { readonly id: string; readonly role: Role; readonly asks: string };

export const templates: Readonly<Record<TemplateName, Template>> = {
  implementation: [
    { name: 'explore', level: 'contract-frozen', tasks: { of: 'explore' } },
    { name: 'implement', level: 'repo-landed', tasks: { of: 'implement' } },
    { name: 'validate', level: 'baseline-proved', tasks: { of: 'validate' } },
  ],
  qa: [
    reading('survey', 'repo-landed', {
      id: 'survey',
      role: 'discovery',
      asks: 'Find out which behaviour is tested today and which is not, as far as this is about it',
    }),
    { name: 'prove', level: 'baseline-proved', tasks: { of: 'clauses', role: 'quality' } },
    reading('judge', 'baseline-proved', {
      id: 'judge',
      role: 'qa',
      asks: 'Judge as a user would whether the tests prove this',
    }),
  ],
  infra: [
    reading('design', 'contract-frozen', {
      id: 'design',
      role: 'design',
      asks: 'Design this: what is there today, the options, the one to take, and how to go back',
    }),
    { name: 'build', level: 'repo-landed', tasks: { of: 'clauses', role: 'infra' } },
    reading(
      'verify',
      'baseline-proved',
      {
        id: 'verify',
        role: 'qa',
        asks: 'Verify that this can be repeated and taken back, and that no step is missing',
      },
      { id: 'security-review', role: 'security', asks: 'Look for secrets, open doors and unpinned versions in this' },
    ),
  ],
  release: [
    reading('survey', 'repo-landed', {
      id: 'survey',
      role: 'discovery',
      asks: 'List what changed since the last release and what is still open, as far as this is about it',
    }),
    { name: 'prepare', level: 'repo-landed', tasks: { of: 'clauses', role: 'finalization' } },
    reading(
      'prove',
      'baseline-proved',
      { id: 'judge', role: 'qa', asks: 'Judge whether this is complete and whether it can be released' },
      {
        id: 'rollout',
        role: 'deploy',
        asks: 'Say step by step how a person releases this, checks that it works and goes back',
      },
    ),
  ],
};

function reading(name: string, level: Maturity, ...readers: readonly Reader[]): TemplateWave {
  return { name, level, tasks: { of: 'goal', readers } };
}
