import { createHash } from 'node:crypto';
import { type PlanHash, planHash, taskId } from '../../domain/base/ids.ts';
import { mergeDefinitions } from '../../domain/check-definitions/definition.ts';
import type { CommandDefinitions } from '../../domain/check-definitions/reading.ts';
import { parseOf } from '../../domain/checks/written-parse.ts';
import { type Catalogues, freezeTargets } from '../../domain/closure/catalogue.ts';
import { type DraftRole, draftRoles, programOf } from '../../domain/closure/role-drafts.ts';
import { draftResolver } from '../../domain/derived/resolver-draft.ts';
import { draftOrchestrator } from '../../domain/orchestrator/orchestrator-draft.ts';
import { maturity } from '../../domain/plan/maturity.ts';
import {
  type Check,
  canonicalJson,
  type FrozenPlan,
  type PlannedBoard,
  type PlannedTask,
  type PlannedWave,
  type Skill,
} from '../../domain/plan/plan.ts';
import {
  agentsOf,
  artifactsOf,
  commandOf,
  type DraftTask,
  ownsOf,
  type PlanDraft,
} from '../../domain/plan/plan-draft.ts';
import { promotesOf } from '../../domain/plan/promotions.ts';
import { repoClaim } from '../../domain/plan/repo-claim.ts';
import { withLockNeeds } from '../../domain/scope/ownership.ts';
import { type ResolvedSettings, setupCommand } from '../../domain/settings/settings.ts';
import { durationSeconds } from '../../domain/settings/shapes.ts';

/** SHA-256 of the canonical document: equal for equal meaning, changed by any change of it. */
export const hashPlan = (plan: FrozenPlan): PlanHash =>
  planHash(createHash('sha256').update(canonicalJson(plan)).digest('hex'));

/** Content of the base that the plan holds. */
type BaseContent = {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly definitions: ReadonlyMap<string, CommandDefinitions>;
  readonly catalogues: Catalogues;
  /** The current level of each component; null without a matrix. */
  readonly matrix: ReadonlyMap<string, string> | null;
};

/** Every default filled in. The draft has passed lint: what this version cannot do is not in it. */
export function freeze(draft: PlanDraft, name: string, base: string, content: Partial<BaseContent> = {}): FrozenPlan {
  const { skills = new Map(), definitions = new Map(), catalogues = new Map(), matrix = null } = content;
  const { settings } = draft;
  const { run, agents, ...limits } = settings.limits;
  const setup = setupCommand(settings.setup);
  const before = setup === null ? undefined : definitions.get(setup);
  if (settings.dispatch !== 'isolated') throw new Error('Lint refuses such a plan');
  return withLockNeeds({
    version: 1,
    name,
    base,
    land: settings.land,
    dispatch: settings.dispatch,
    schedule: settings.schedule,
    strict: settings.strict,
    partial: settings.partial,
    fence: {
      mode: settings.fence.mode,
      network: Array.isArray(settings.fence.network) ? set(settings.fence.network) : settings.fence.network,
      read: set(settings.fence.read),
      write: set(settings.fence.write),
      env: set(settings.fence.env),
    },
    limits: { ...limits, ...(Object.keys(agents).length === 0 ? {} : { agents }), runUsd: run.usd },
    taps: { start: settings.taps.start, expiresMinutes: durationSeconds(settings.taps.expires) / 60 },
    board: freezeBoard(settings.board),
    setup,
    ...(typeof settings.setup === 'object' && settings.setup !== null
      ? { setupInputs: set(settings.setup.inputs) }
      : {}),
    teardown: settings.teardown,
    checks: settings.checks.map((check) => freezeCheck(check, [before, definitions.get(check.run)])),
    generated: { ...settings.generated },
    protect: set(settings.protect),
    ...matrixKey(draft, matrix),
    ...(settings.sharedDocs.length === 0 ? {} : { sharedDocs: set(settings.sharedDocs) }),
    ...(settings.unprotect.length === 0 ? {} : { unprotect: set(settings.unprotect) }),
    forbid: set(settings.forbid),
    block: set(settings.block),
    breaker: settings.breaker,
    ...(settings.commit === null ? {} : { commit: settings.commit }),
    ...(settings.thread.intake === null && settings.thread.threads === null ? {} : { thread: settings.thread }),
    ...resolverKey(draft, definitions),
    ...orchestratorKey(draft),
    ...repoKey(settings.repo),
    waves: draft.waves.map((wave, index) => ({
      name: wave.name ?? `wave-${index}`,
      tasks: wave.tasks.map((task) => freezeTask(task, settings, skills)),
      ...freezeClosure(draft, index, { catalogues, definitions }),
    })),
  });
}

function freezeBoard({ preferred, ...clocks }: ResolvedSettings['board']): PlannedBoard {
  const { acknowledge, stale, answer } = clocks;
  return {
    acknowledgeSeconds: durationSeconds(acknowledge),
    staleSeconds: durationSeconds(stale),
    answerSeconds: durationSeconds(answer),
    // of two preferred tasks the first gets the record, so the order stays
    ...(Object.keys(preferred).length === 0 ? {} : { preferred }),
  };
}

/** `sources`: definitions of `setup`, which could rewrite every file that the check reads, and of its own command. */
function freezeCheck(
  { name, run, minutes = 10, defines = [], parse, policy }: SetCheck,
  sources: readonly (CommandDefinitions | undefined)[],
): Check {
  const read = sources.flatMap((one) => one?.definitions ?? []);
  const all = mergeDefinitions([...read, ...defines.map((path) => ({ path }))]);
  return {
    name,
    run,
    minutes,
    ...(all.length === 0 ? {} : { definitions: all }),
    ...(parse === undefined ? {} : { parse: parseOf(parse) }),
    ...(policy === 'ratchet' ? { policy } : {}),
  };
}

type SetCheck = ResolvedSettings['checks'][number];

function freezeTask(task: DraftTask, settings: ResolvedSettings, skills: ReadonlyMap<string, Skill>): PlannedTask {
  const { keys } = task;
  const owns = ownsOf(task);
  const artifacts = artifactsOf(task).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const named = set(keys.skills ?? []).flatMap((name) => skills.get(name) ?? []);
  return {
    id: taskId(task.id),
    directive: {
      file: task.file,
      text: task.text ?? '',
      clauses: settings.forbid.length === 0 ? ['merge-gate'] : ['merge-gate', 'forbid'],
    },
    role: keys.role ?? 'impl-core',
    agent: agentsOf(task, settings),
    command: commandOf(task, settings),
    owns: owns === null ? null : set(owns),
    needs: set(keys.needs ?? []).map(taskId),
    reads: set(keys.reads ?? []),
    shares: set(keys.shares ?? []),
    locks: set(keys.locks ?? []),
    model: keys.model === undefined ? settings.model : keys.model,
    priority: keys.priority ?? 5,
    capabilities: set(keys.capabilities ?? []),
    components: set(keys.components ?? []),
    deliverables: set(keys.deliverables ?? []),
    ...promotesKey(task, settings),
    proofs: set((keys.proofs ?? []).filter((proof) => typeof proof === 'string')),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    exit: {
      completion: keys.exit?.completion ?? null,
      durability: keys.exit?.durability ?? null,
      proof: keys.exit?.proof ?? null,
      docs: keys.exit?.docs ?? null,
    },
    allowEmpty: keys.allowEmpty ?? false,
    ...(keys.drafts === undefined ? {} : { drafts: keys.drafts }),
    ...(named.length === 0 ? {} : { skills: named }),
    ...repoKey(repoClaim(keys.repo)),
  };
}

/** The closure roles of a wave as tasks, in the order in which they run. Absent when there are none. */
function freezeClosure(draft: PlanDraft, wave: number, content: RoleContent): Pick<PlannedWave, 'closure'> {
  const roles = draftRoles(draft, wave).map((role) => freezeRole(role, draft.settings, content));
  return roles.length === 0 ? {} : { closure: roles };
}

type RoleContent = Pick<BaseContent, 'catalogues' | 'definitions'>;

function freezeRole(
  role: DraftRole,
  settings: ResolvedSettings,
  { catalogues, definitions }: RoleContent,
): PlannedTask {
  const { closes, targets, environments, markers } = role;
  const frozen = freezeTask(role, settings, new Map());
  const clauses = frozen.directive.clauses.filter((clause) => clause !== 'merge-gate');
  return {
    ...frozen,
    directive: { ...frozen.directive, clauses: ['closure-role', ...clauses] },
    allowEmpty: true,
    closes,
    ...definitionsKey(role, definitions),
    ...(markers === true ? { markers } : {}),
    ...(targets === undefined ? {} : { targets: freezeTargets(role, catalogues) }),
    ...(environments === undefined ? {} : { environments: set(environments) }),
  };
}

/** Absent when the plan has no resolver. */
function resolverKey(draft: PlanDraft, definitions: BaseContent['definitions']): Pick<FrozenPlan, 'resolver'> {
  const resolver = draftResolver(draft);
  if (resolver === null) return {};
  const { agent, command, model } = freezeTask(resolver, draft.settings, new Map());
  return { resolver: { agent, command, model, ...definitionsKey(resolver, definitions) } };
}

/** The files of the base that a program of the plan consists of. Absent when there are none. */
function definitionsKey(
  task: Pick<DraftTask, 'keys'>,
  definitions: BaseContent['definitions'],
): Pick<PlannedTask, 'definitions'> {
  const program = programOf(task);
  const read = (program === null ? undefined : definitions.get(program)?.definitions) ?? [];
  // the plan holds the program, whatever the settings become
  const defined = read.filter(({ path }) => path !== 'tidegate.yaml');
  return defined.length === 0 ? {} : { definitions: defined };
}

/** Absent when the plan has no orchestrator. Of a chain of agents it gets the first. */
function orchestratorKey(draft: PlanDraft): Pick<FrozenPlan, 'orchestrator'> {
  const orchestrator = draftOrchestrator(draft);
  if (orchestrator === null) return {};
  const { task, usd, minutes } = orchestrator;
  const { agent, command, model, directive } = freezeTask(task, draft.settings, new Map());
  return { orchestrator: { agent: agent[0] ?? '', command, model, text: directive.text, usd, minutes } };
}

/** Absent when the plan names no matrix. `levels` are those of promoted components. */
function matrixKey(draft: PlanDraft, levels: ReadonlyMap<string, string> | null): Pick<FrozenPlan, 'matrix'> {
  const { matrix: path } = draft.settings;
  if (path === null) return {};
  const tasks = draft.waves.flatMap((wave) => wave.tasks);
  const promoted = set(tasks.flatMap((task) => Object.keys(promotesOf(task, draft.settings))));
  const known = promoted.flatMap((component) => {
    const level = maturity.find((one) => one === levels?.get(component));
    return level === undefined ? [] : [[component, level] as const];
  });
  return { matrix: { path, levels: Object.fromEntries(known) } };
}

/** Absent when the task promotes nothing. */
function promotesKey(task: DraftTask, settings: ResolvedSettings): Pick<PlannedTask, 'promotes'> {
  const promotes = promotesOf(task, settings);
  return Object.keys(promotes).length === 0 ? {} : { promotes };
}

/** Absent when the plan does not set it. */
const repoKey = (repo: ResolvedSettings['repo']): Pick<PlannedTask, 'repo'> =>
  repo.root === null && repo.remote === null ? {} : { repo };

/** Lists whose order means nothing are sorted, so that it does not change the hash. */
const set = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
