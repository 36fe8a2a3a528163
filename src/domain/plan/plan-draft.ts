import { takesCommand } from '../agents/agents.ts';
import type { DocumentRules } from '../findings/document-rules.ts';
import type { Finding, FindingsOf } from '../findings/finding.ts';
import type { PlanRules, SettingsRules } from '../findings/plan-rules.ts';
import type { ResolvedSettings } from '../settings/settings.ts';
import type { Role } from './plan.ts';
import type { WrittenRepo } from './repo-claim.ts';

/** Where in a document: keys and indexes from its root. */
export type Place = readonly (string | number)[];

/** A finding, still tied to a place in the document; the reader of the file turns it into line and column. */
export type PlanProblem = FindingsOf<DocumentRules & PlanRules & SettingsRules> & {
  readonly place: Place;
  /** Point at the key instead of its value. */
  readonly at?: 'key' | 'value';
};

/** `where`: its place as people know it. */
export const placed = ({ place, at, ...finding }: PlanProblem, where: string): Finding => ({ ...finding, where });

/** A plan as written, in one shape for all its forms, before defaults. */
export type PlanDraft = {
  readonly settings: ResolvedSettings;
  readonly waves: readonly DraftWave[];
};

export type DraftWave = { readonly name: string | null; readonly place: Place; readonly tasks: readonly DraftTask[] };

export type DraftTask = {
  readonly id: string;
  readonly wave: number;
  readonly place: Place;
  readonly file: string | null;
  /** The body of the directive; null when it could not be read, which was reported then. */
  readonly text: string | null;
  readonly hasFrontMatter: boolean;
  readonly keys: TaskKeys;
};

export type TaskKeys = {
  readonly role?: Role | undefined;
  readonly agent?: string | readonly string[] | undefined;
  readonly command?: readonly string[] | null | undefined;
  readonly owns?: readonly string[] | null | undefined;
  readonly needs?: readonly string[] | undefined;
  readonly reads?: readonly string[] | undefined;
  readonly shares?: readonly string[] | undefined;
  readonly locks?: readonly string[] | undefined;
  readonly model?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly components?: readonly string[] | undefined;
  readonly deliverables?: readonly string[] | undefined;
  readonly drafts?: string | undefined;
  readonly proofs?: readonly string[] | undefined;
  readonly exit?:
    | {
        readonly completion?: string | null | undefined;
        readonly durability?: string | null | undefined;
        readonly proof?: string | null | undefined;
        readonly docs?: string | null | undefined;
      }
    | undefined;
  readonly allowEmpty?: boolean | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly repo?: WrittenRepo | undefined;
};

const asList = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** A task that names a command and no agent means that command. */
export function agentsOf(task: DraftTask, settings: ResolvedSettings): readonly string[] {
  if (task.keys.agent !== undefined) return asList(task.keys.agent);
  return task.keys.command ? ['command'] : settings.agent;
}

/** Roles whose result is what they say: they change no file unless the plan says what. */
const sayingRoles: ReadonlySet<Role> = new Set<Role>(['discovery', 'research', 'eval', 'security', 'qa']);

/** What a task owns: null is whatever no sibling claims, `[]` nothing. A role sets the default, unless other keys say that it writes. */
export function ownsOf({ keys }: DraftTask): readonly string[] | null {
  if (keys.owns !== undefined) return keys.owns;
  const written = [...(keys.shares ?? []), ...(keys.locks ?? []), ...(keys.deliverables ?? [])];
  const isSaying = keys.role !== undefined && sayingRoles.has(keys.role);
  return isSaying && written.length === 0 && keys.drafts === undefined ? [] : null;
}

export const commandOf = (task: DraftTask, settings: ResolvedSettings): readonly string[] | null =>
  agentsOf(task, settings).some(takesCommand) ? (task.keys.command ?? settings.command) : null;
