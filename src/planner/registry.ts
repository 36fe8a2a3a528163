import type { Role } from '../domain/plan/plan.ts';
import type { AgentTypeSettings, RegistrySettings, Stage } from '../domain/settings/settings.ts';
import { mentions, wordsOf } from './goal-text.ts';

/** A kind of agent, as the planner knows it. It does not name the program that does the work. */
export type AgentType = {
  readonly type: string;
  readonly name: string;
  readonly keywords: readonly string[];
  readonly stage: Stage;
  readonly role: Role;
  /** The most files that it should change. */
  readonly files: number;
  readonly forbid: readonly string[];
  /** Null: chosen by the complexity of the work. */
  readonly model: string | null;
};
export type Registry = readonly AgentType[];

/** Returns the built-in kinds as configuration changes them, then the kinds that it adds. */
export function registryOf(settings: RegistrySettings): Registry {
  const changes = new Map(Object.entries(settings));
  const ownTypes = new Set(builtIn.map(({ type }) => type));
  return [
    ...builtIn.filter(({ type }) => changes.get(type) !== null).map((row) => merged(row, changes.get(row.type) ?? {})),
    ...[...changes].flatMap(([type, row]) =>
      ownTypes.has(type) || row === null ? [] : [merged(newType(type, row.stage ?? 'implement'), row)],
    ),
  ];
}

export type AgentMatch = { readonly agent: AgentType; readonly keywords: readonly string[] };

/** Returns the kinds whose keywords a text has, those with the most first, otherwise in the order of the registry. */
export function matchAgents(description: string, registry: Registry): readonly AgentMatch[] {
  const words = wordsOf(description);
  return registry
    .map((agent) => ({ agent, keywords: agent.keywords.filter((keyword) => mentions(words, keyword)) }))
    .filter(({ keywords }) => keywords.length > 0)
    .sort((a, b) => b.keywords.length - a.keywords.length);
}

/** A kind that nobody described gets the values that hold for all. */
export const agentTyped = (type: string, registry: Registry): AgentType =>
  registry.find((agent) => agent.type === type) ?? newType(type, 'implement');

const roleOf: Readonly<Record<Stage, Role>> = { explore: 'discovery', implement: 'impl-core', validate: 'qa' };

function newType(type: string, stage: Stage): AgentType {
  const name = type.replaceAll(/[-_]+/g, ' ').replaceAll(/(?<=^| )[a-z]/g, (letter) => letter.toUpperCase());
  return { type, name, keywords: [], stage, role: roleOf[stage], files: 5, forbid: [], model: null };
}

function merged(row: AgentType, changes: AgentTypeSettings): AgentType {
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const { role, stage = row.stage } = changes;
  return { ...row, ...set, role: role ?? (stage === row.stage ? row.role : roleOf[stage]) };
}

/** Takes the work that is for no other kind. */
export const generalist = 'Snipper';

const kind = (
  type: string,
  name: string,
  stage: Stage,
  words: string,
  more: Partial<Pick<AgentType, 'role' | 'forbid'>> = {},
): AgentType => ({ ...newType(type, stage), name, keywords: words.split(', '), ...more });

const securityWords = 'security, vulnerability, auth, authentication, authorization, permission, owasp';

const builtIn: Registry = [
  kind('Explore', 'Codebase Explorer', 'explore', 'explore, find, search, scan, investigate, understand, codebase'),
  kind(generalist, 'Code Editor', 'implement', 'edit, modify, change, update, fix, create file, write code'),
  kind(
    'frontend-react',
    'React Frontend Developer',
    'implement',
    'react, component, ui, frontend, tsx, jsx, css, style',
  ),
  kind(
    'backend-laravel',
    'Laravel Backend Developer',
    'implement',
    'laravel, php, controller, migration, model, artisan',
    {
      forbid: ['delete migrations', 'drop tables'],
    },
  ),
  kind('supabase-backend', 'Supabase Backend Developer', 'implement', 'supabase, rls, policy, database, schema, sql', {
    forbid: ['drop tables', 'disable row level security'],
  }),
  kind('test-engineer', 'Test Engineer', 'validate', 'test, testing, spec, coverage, assert, expect, jest, vitest', {
    role: 'quality',
    forbid: ['delete tests', 'skip tests'],
  }),
  kind('security-specialist', 'Security Specialist', 'validate', securityWords, { role: 'security' }),
  kind('docs-writer', 'Documentation Writer', 'implement', 'document*, readme, docs, api doc, changelog', {
    role: 'docs',
  }),
  kind('code-reviewer', 'Code Reviewer', 'validate', 'review, audit, quality, lint, clean'),
  kind('performance-engineer', 'Performance Engineer', 'implement', 'performance, optimize, cache, latency, profil*', {
    role: 'impl-polish',
  }),
];
