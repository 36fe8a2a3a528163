import { takesCommand } from '../../agents/agents.ts';
import { idPattern } from '../base/ids.ts';
import { type PlannedProof, proofPurposes } from '../closure/exit-contract.ts';
import type { DocumentRules } from '../findings/document-rules.ts';
import type { Finding, FindingsOf } from '../findings/finding.ts';
import type { PlanRules } from '../findings/plan-rules.ts';
import type { WrittenClosure } from '../settings/closure-settings.ts';
import type { ResolvedSettings } from '../settings/settings.ts';
import {
  argv,
  described,
  either,
  fields,
  flag,
  list,
  map,
  nullable,
  type OptionalFields,
  oneOf,
  pathPattern,
  pathPatterns,
  text,
  whole,
  words,
} from '../settings/shapes.ts';
import { writtenAgent, writtenRepo } from '../settings/written-settings.ts';
import { maturity } from './maturity.ts';
import { type Role, roles } from './plan.ts';

/** A place in a document: keys and indexes from its root. */
export type Place = readonly (string | number)[];

/** A finding with its place in the document. The reader of the file turns the place into line and column. */
export type PlanProblem = FindingsOf<DocumentRules & PlanRules> & {
  readonly place: Place;
  /** Set to point at the key instead of its value. */
  readonly at?: 'key' | 'value';
};

/** `where` is its place in words for people. */
export const placed = ({ place, at, ...finding }: PlanProblem, where: string): Finding => ({ ...finding, where });

/** A plan before defaults, in one shape for all forms of plan files. */
export type PlanDraft = {
  readonly settings: ResolvedSettings;
  readonly waves: readonly DraftWave[];
};

/** `closure` replaces that of the plan; null when the wave does not set it. */
export type DraftWave = {
  readonly name: string | null;
  readonly place: Place;
  readonly tasks: readonly DraftTask[];
  readonly closure: WrittenClosure | null;
};

export type DraftTask = {
  readonly id: string;
  readonly wave: number;
  readonly place: Place;
  readonly file: string | null;
  /** The body of the directive; null when it could not be read, which has been reported. */
  readonly text: string | null;
  readonly hasFrontMatter: boolean;
  readonly keys: TaskKeys;
};

/** The keys of a task besides `id` and `do`, as a plan or the front matter of a directive has them. */
export const taskKeys = {
  role: oneOf<readonly Role[]>(...roles),
  agent: writtenAgent,
  command: described(nullable(argv), 'Program and arguments, for agent: command or acp.'),
  owns: described(
    nullable(pathPatterns),
    'Paths that it may change. Absent: paths that no other task claims. []: none.',
  ),
  needs: described(list(text({ matches: idPattern })), 'Tasks of this wave or an earlier one that must be done first.'),
  reads: described(pathPatterns, 'Paths that it builds on.'),
  shares: described(pathPatterns, 'Paths that several tasks may change, one after the other.'),
  locks: described(pathPatterns, 'Paths that only this task may change. Tasks that read them wait for it.'),
  model: described(nullable(words), 'Model of this task. null: the default of the agent, whatever the plan says.'),
  priority: described(whole(0, 100), 'Tasks with a higher number start first. Default: 5.'),
  capabilities: described(list(words), 'Words by which other tasks can ask for this one, as `capability:<word>`.'),
  components: described(list(words), 'Parts of the system that it is about.'),
  promotes: described(
    map(text({ matches: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/ }), oneOf(...maturity)),
    'The level that each component reaches by this task. Every owner of a component has to be proven.',
  ),
  deliverables: described(pathPatterns, 'Files that it must add or change.'),
  drafts: described(pathPattern, 'A plan that it writes. The plan is checked, and sent back if it has mistakes.'),
  proofs: described(
    list(
      either(
        words,
        fields(
          { path: described(pathPattern, 'The file. Git may ignore it: it is kept as evidence and never merged.') },
          {
            kind: described(words, 'Its kind, for people.'),
            for: described(oneOf<typeof proofPurposes>(...proofPurposes), 'The level of `exit` that it holds up.'),
          },
        ),
      ),
    ),
    'Files that the task has to leave as proof. Free words mean nothing.',
  ),
  exit: described(
    fields(
      {},
      {
        completion: described(nullable(words), 'contract, integrated, authoritative or live.'),
        durability: described(nullable(words), 'none, ephemeral or durable.'),
        proof: described(nullable(words), 'unit, integration or live.'),
        docs: described(nullable(words), 'none, owned or shared-plan.'),
      },
    ),
    'Exit contract: the levels that the handoff has to claim and that evidence has to hold up.',
  ),
  allowEmpty: described(flag, 'Whether it may change nothing although it owns something.'),
  skills: described(
    list(text({ matches: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/ })),
    'Skills of the project that its agent reads first.',
  ),
  repo: writtenRepo,
};
export type TaskKeys = OptionalFields<typeof taskKeys>;

const asList = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** A task that names a command and no agent means that command. */
export function agentsOf(task: DraftTask, settings: ResolvedSettings): readonly string[] {
  if (task.keys.agent !== undefined) return asList(task.keys.agent);
  return task.keys.command ? ['command'] : settings.agent;
}

/** Roles whose result is their handoff. They change no file unless the plan names some. */
const readingRoles: ReadonlySet<Role> = new Set<Role>(['discovery', 'research', 'eval', 'security', 'qa']);

/** Returns the paths that a task owns. Null: all that no other task claims. `[]`: none. The role sets the default, unless other keys name files that it writes. */
export function ownsOf({ keys }: DraftTask): readonly string[] | null {
  if (keys.owns !== undefined) return keys.owns;
  const written = [...(keys.shares ?? []), ...(keys.locks ?? []), ...(keys.deliverables ?? [])];
  const isReading = keys.role !== undefined && readingRoles.has(keys.role);
  return isReading && written.length === 0 && keys.drafts === undefined ? [] : null;
}

/** The declared proofs of a task, without its free words. */
export const artifactsOf = ({ keys }: DraftTask): readonly PlannedProof[] =>
  (keys.proofs ?? []).flatMap((proof) => {
    if (typeof proof === 'string') return [];
    const { path, kind, for: purpose } = proof;
    return [{ path, ...(kind === undefined ? {} : { kind }), ...(purpose === undefined ? {} : { for: purpose }) }];
  });

export const commandOf = (task: DraftTask, settings: ResolvedSettings): readonly string[] | null =>
  agentsOf(task, settings).some(takesCommand) ? (task.keys.command ?? settings.command) : null;
