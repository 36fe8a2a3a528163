import type { TaskId } from '../base/ids.ts';
import type { Definition } from '../check-definitions/definition.ts';
import type { CheckParse } from '../checks/report.ts';
import type { EvalTarget } from '../closure/eval-targets.ts';
import type { PlannedProof } from '../closure/exit-contract.ts';
import type { ClosureRole } from '../closure/roles.ts';
import type { RepoClaim } from '../gates/evidence.ts';
import type { Maturity } from './maturity.ts';

export const roles = [
  'discovery',
  'impl-core',
  'impl-polish',
  'quality',
  'finalization',
  'docs',
  'design',
  'infra',
  'deploy',
  'research',
  'eval',
  'security',
  'integration',
  'qa',
] as const;
export type Role = (typeof roles)[number];

export type Network = 'on' | 'off' | readonly string[];

/**
 * A plan as it is executed: every default filled in, every directive read. The plan hash is the hash of its canonical JSON. `run`
 * never changes a person's files.
 */
export type FrozenPlan = {
  readonly version: 1;
  readonly name: string;
  /** The person's branch: where the run starts from and lands. */
  readonly base: string;
  readonly land: 'ask' | 'auto' | 'branch' | 'pr' | 'wave';
  readonly dispatch: 'isolated';
  readonly schedule: 'strict' | 'eager';
  readonly strict: boolean;
  readonly partial: 'merge' | 'hold';
  readonly fence: {
    readonly mode: 'auto' | 'none';
    /** Null for the default of each kind of process (command and checks off, the rest on). */
    readonly network: Network | null;
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly env: readonly string[];
  };
  readonly limits: {
    readonly parallel: number;
    readonly attempts: number;
    readonly minutes: number;
    readonly silence: number;
    readonly usd: number;
    /** The most attempts of one agent that may run at the same time; absent when no agent is limited. */
    readonly agents?: Readonly<Record<string, number>>;
    readonly turns: number | null;
    readonly files: number | null;
    readonly runUsd: number;
  };
  readonly taps: { readonly start: 'run' | 'wave'; readonly expiresMinutes: number };
  /** The clocks of records and who gets them. Absent in plans that were frozen before this key existed. */
  readonly board?: PlannedBoard;
  readonly setup: string | null;
  /** Patterns of the files that `setup` makes its product from. Absent when they follow from the command. */
  readonly setupInputs?: readonly string[];
  readonly teardown: string | null;
  readonly checks: readonly Check[];
  /** Path -> shell command that rebuilds it on the candidate. */
  readonly generated: Readonly<Record<string, string>>;
  readonly protect: readonly string[];
  /** The matrix of components. Absent when no task promotes one. */
  readonly matrix?: PlannedMatrix;
  /** Patterns of docs whose changes the docs role has to close by name. Absent when there are none. */
  readonly sharedDocs?: readonly string[];
  /** Patterns that are not protected, although they are by default. Absent when there are none. */
  readonly unprotect?: readonly string[];
  readonly forbid: readonly string[];
  /** Absent in plans that were frozen before this key existed, as is `breaker`. */
  readonly block?: readonly string[];
  readonly breaker?: 'normal' | 'strict';
  /** Absent when waves coordinate on the built-in board. */
  readonly thread?: ThreadPlan;
  /** Template of the subjects of commits. Absent when they are the titles of tasks. */
  readonly commit?: string;
  /** The agent that resolves conflicts and repairs tasks that break a check. Absent when there is none. */
  readonly resolver?: PlannedResolver;
  /** The resident orchestrator. Absent when there is none. */
  readonly orchestrator?: PlannedOrchestrator;
  /** Focus of this run, in the person's words, for every agent. */
  readonly focus?: string;
  /** The repository that the plan is for. Absent when the plan does not name it. */
  readonly repo?: Omit<RepoClaim, 'task'>;
  readonly waves: readonly PlannedWave[];
};

/**
 * `definitions` lists what the outcome depends on, as it was in the base when the plan was frozen. Absent in plans that are older
 * than this list.
 */
export type Check = {
  readonly name: string;
  readonly run: string;
  readonly minutes: number;
  readonly definitions?: readonly Definition[];
  /** How its report is read. Absent when only its exit code counts. */
  readonly parse?: CheckParse;
  /** Compared with the base, instead of having to pass. Absent for `green`. */
  readonly policy?: 'ratchet';
};

/** Seconds of each clock. `preferred`: for each capability the tasks that get its records first; absent for none. */
export type PlannedBoard = {
  readonly acknowledgeSeconds: number;
  readonly staleSeconds: number;
  readonly answerSeconds: number;
  readonly preferred?: Readonly<Record<string, readonly string[]>>;
};

/** The agent of the tasks that repair work which could not be integrated. `definitions` as for a closure role. */
export type PlannedResolver = Pick<PlannedTask, 'agent' | 'command' | 'model' | 'definitions'>;
/** True for a check that is compared with the base. */
export const isRatchet = ({ policy }: Pick<Check, 'policy'>): boolean => policy === 'ratchet';

export const hasRatchet = ({ checks }: Pick<FrozenPlan, 'checks'>): boolean => checks.some(isRatchet);

/** The agent that may write guidance to the board while tasks run. `text` holds the person's words; both limits are for the whole run. */
export type PlannedOrchestrator = Pick<PlannedTask, 'command' | 'model'> & {
  readonly agent: string;
  readonly text: string;
  readonly usd: number;
  readonly minutes: number;
};

/** Why Tidegate makes a task during a run. */
export type DerivedPurpose = 'resolver';

/** `levels`: those of the promoted components in the base when the plan was frozen. */
type PlannedMatrix = { readonly path: string; readonly levels: Readonly<Record<string, Maturity>> };

/** Instructions that the project keeps for a kind of work: a file that agents read. */
export type Skill = { readonly name: string; readonly path: string; readonly description: string };

/** `closure`: its closure roles, in the order in which they run. Absent when it has none. */
export type PlannedWave = {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
  readonly closure?: readonly PlannedTask[];
};

/** `text` holds only the person's words. `file` is their source; null when inline. */
export type Directive = { readonly file: string | null; readonly text: string; readonly clauses: readonly Clause[] };

/**
 * A text that the agent gets beside the person's words: how to hand off, and the list of the plan's `forbid`. The plan and its
 * hash name a clause; its wording is rendered for each prompt. A wording that means something else gets a new name.
 */
export type Clause = 'merge-gate' | 'forbid' | 'closure-role';

export type PlannedTask = {
  readonly id: TaskId;
  readonly directive: Directive;
  readonly role: Role;
  /** A fallback chain, in the order in which its agents are tried. */
  readonly agent: readonly string[];
  /** argv for `agent: command`. */
  readonly command: readonly string[] | null;
  /** Null for every path that no sibling claims and `protect` does not cover. []: read-only, never merged. */
  readonly owns: readonly string[] | null;
  readonly needs: readonly TaskId[];
  readonly reads: readonly string[];
  readonly shares: readonly string[];
  readonly locks: readonly string[];
  readonly model: string | null;
  readonly priority: number;
  readonly capabilities: readonly string[];
  readonly components: readonly string[];
  readonly deliverables: readonly string[];
  /** The level that each of these components reaches by this task; absent for none. */
  readonly promotes?: Readonly<Record<string, Maturity>>;
  /** Free words. They mean nothing to the gates. */
  readonly proofs: readonly string[];
  /** Files that the task has to leave as proof. Absent when the plan declares none. */
  readonly artifacts?: readonly PlannedProof[];
  readonly exit: {
    readonly completion: string | null;
    readonly durability: string | null;
    readonly proof: string | null;
    readonly docs: string | null;
  };
  readonly allowEmpty: boolean;
  /** Set for a closure role, which Tidegate makes from `closure`. An ordinary task may have the same `role`. */
  readonly closes?: ClosureRole;
  /** Closure role: the files of the repository that its program consists of, as they were in the base. Absent when there are none. */
  readonly definitions?: readonly Definition[];
  /** Closure role with a program: marker lines in its output count as its report. */
  readonly markers?: true;
  /** Set for a derived task, which Tidegate makes during a run. No plan of a person has one. */
  readonly purpose?: DerivedPurpose;
  /** Eval: everything that it has to evaluate. Absent when the plan names no targets. */
  readonly targets?: readonly EvalTarget[];
  /** Deploy: environments that have to be healthy. Absent when the plan names none. */
  readonly environments?: readonly string[];
  /** The plan that this task writes. It is read, and returned with its mistakes, before the task is ready. */
  readonly drafts?: string;
  /** The repository that the task is for, if it is not that of the plan. */
  readonly repo?: Omit<RepoClaim, 'task'>;
  /** Skills that its agent reads first, as they were in the base when the plan was frozen. */
  readonly skills?: readonly Skill[];
};

/** The tasks of the person's plan, without closure roles. */
export const allTasks = (plan: WavesOfPlan): readonly PlannedTask[] => plan.waves.flatMap((wave) => wave.tasks);

/** The part of a plan that says which tasks there are and who of them gets records. */
export type WavesOfPlan = Pick<FrozenPlan, 'waves' | 'board'>;

/** The closure roles of a wave, in the order in which they run. */
export const closureOf = (plan: FrozenPlan, wave: number): readonly PlannedTask[] => plan.waves[wave]?.closure ?? [];

/** The tasks and closure roles of a wave. */
export const everyTaskOf = ({ tasks, closure = [] }: PlannedWave): readonly PlannedTask[] => [...tasks, ...closure];

/** The tasks and closure roles of a plan. */
export const everyTask = ({ waves }: WavesOfPlan): readonly PlannedTask[] => waves.flatMap(everyTaskOf);

/** Every agent that a run of the plan may start. */
export const agentsIn = (plan: FrozenPlan): readonly string[] => [
  ...new Set([
    ...everyTask(plan).flatMap(({ agent }) => agent),
    ...(plan.resolver?.agent ?? []),
    ...(plan.orchestrator === undefined ? [] : [plan.orchestrator.agent]),
  ]),
];

const plannedTasks = new WeakMap<WavesOfPlan, ReadonlyMap<TaskId, PlannedTask>>();

/** Returns a task or a closure role. Computed once for each plan, because a plan never changes. */
export function plannedById(plan: WavesOfPlan, id: TaskId): PlannedTask | undefined {
  const tasks = plannedTasks.get(plan) ?? new Map(everyTask(plan).map((task) => [task.id, task]));
  plannedTasks.set(plan, tasks);
  return tasks.get(id);
}

/** Returns the tasks that need this one, directly or through others. */
export function dependentsOf(plan: FrozenPlan, task: TaskId): readonly TaskId[] {
  const tasks = allTasks(plan);
  const dependents = new Set<TaskId>();
  const visit = (id: TaskId): void => {
    for (const dependent of tasks)
      if (dependent.needs.includes(id) && !dependents.has(dependent.id)) {
        dependents.add(dependent.id);
        visit(dependent.id);
      }
  };
  visit(task);
  return [...dependents];
}

/** Returns canonical JSON: keys sorted at every level, no white space. Hashes and comparisons use it. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}

/** Tells whether a landing leaves the target unchanged: it makes a branch of the run, and with `pr` a pull request. */
export const landsOnOwnBranch = ({ land }: Pick<FrozenPlan, 'land'>): boolean => land === 'branch' || land === 'pr';

/** A read-only task owns no path: its handoff is the result. A task without `owns` may change anything. */
export const isReadOnly = ({ owns }: { readonly owns?: readonly string[] | null | undefined }): boolean =>
  owns?.length === 0;

/** The service in which threads of waves are opened. `tokenFrom` names the variable that holds the token; the token itself is nowhere. */
export type ThreadPlan = {
  readonly intake: string | null;
  readonly threads: string | null;
  readonly tokenFrom: string | null;
};
