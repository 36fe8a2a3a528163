import { countsTurns, takesCommand } from '../../agents/agents.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { foldPath } from '../base/paths.ts';
import type { CommandDefinitions } from '../check-definitions/reading.ts';
import { type DraftRole, draftRoles, lintRoleIds } from '../closure/role-drafts.ts';
import { draftResolver } from '../derived/resolver-draft.ts';
import type { Finding } from '../findings/finding.ts';
import type { PreflightEvidence } from '../gates/evidence.ts';
import { draftOrchestrator, lintOrchestrator } from '../orchestrator/orchestrator-draft.ts';
import { protectWarnings } from '../scope/ownership.ts';
import { parsePattern } from '../scope/pattern.ts';
import { secretIn } from '../secrets/secret-shapes.ts';
import type { ResolvedSettings } from '../settings/settings.ts';
import { lintDirective, lintDirectiveLength, ownWords } from './directive.ts';
import { isStep, type Maturity, maturity } from './maturity.ts';
import type { FrozenPlan, PlannedTask, Skill } from './plan.ts';
import { isReadOnly } from './plan.ts';
import {
  agentsOf,
  commandOf,
  type DraftTask,
  ownsOf,
  type Place,
  type PlanDraft,
  type PlanProblem,
  placed,
} from './plan-draft.ts';

/** Returns mistakes that no single value shows. `runnable` are the agents that this version can drive. */
export function lintDraft(draft: PlanDraft, runnable: readonly string[]): readonly PlanProblem[] {
  const tasks = draft.waves.flatMap((wave) => wave.tasks);
  return [
    ...draft.waves.flatMap(lintWave),
    ...tasks.flatMap(reservedId),
    ...duplicateIds(tasks),
    ...lintRoleIds(draft),
    ...draft.waves
      .flatMap((_, wave) => draftRoles(draft, wave))
      .flatMap((role) => lintRole(role, draft.settings, runnable)),
    ...[draftResolver(draft) ?? []].flat().flatMap((resolver) => lintAgent(resolver, draft.settings, runnable)),
    ...lintOrchestrator(draft),
    ...[draftOrchestrator(draft) ?? []].flat().flatMap(({ task }) => lintAgent(task, draft.settings, runnable)),
    ...unknownNeeds(tasks),
    ...cycles(tasks),
    ...lintMaturity(tasks),
    ...tasks.flatMap((task) => lintTask(task, draft.settings, runnable)),
    ...lintSecrets(draft),
  ];
}

/** `skills` are those of the branch `base`. */
export function lintSkills(draft: PlanDraft, skills: ReadonlyMap<string, Skill>, base: string): readonly PlanProblem[] {
  return draft.waves
    .flatMap((wave) => wave.tasks)
    .flatMap((task) =>
      (task.keys.skills ?? []).flatMap((name, index): PlanProblem[] => {
        if (skills.has(name)) return [];
        const meant = nearestWord(name, skills.keys());
        const place = [...task.place, 'skills', index];
        return [{ rule: 'unknown-skill', task: task.id, skill: name, base, meant, place }];
      }),
    );
}

/** Judges the frozen directives of one wave again, in the form that agents get, and adds notes for people. */
export function lintDirectives(plan: FrozenPlan, wave: number): PreflightEvidence {
  const tasks = plan.waves[wave]?.tasks ?? [];
  const vague = tasks.flatMap((task) => lintFrozen(plan, task, (draft) => lintDirective(draft, plan.strict)));
  const long = tasks.flatMap((task) => lintFrozen(plan, task, lintDirectiveLength));
  const incomplete = tasks.flatMap(({ id: task, directive }): Finding[] => {
    const { file, clauses } = directive;
    const where = file ?? task;
    if (!clauses.includes('merge-gate')) return [{ rule: 'merge-gate', task, file, where }];
    return ownWords(directive, plan.forbid) === '' ? [{ rule: 'empty-directive', task, file, where }] : [];
  });
  const guarded = [...long, ...protectWarnings(plan, wave)];
  return plan.strict
    ? { errors: [...incomplete, ...vague], warnings: guarded }
    : { errors: incomplete, warnings: [...vague, ...guarded] };
}

/** Front matter is not part of the frozen text; loading has judged it. */
function lintFrozen(
  plan: FrozenPlan,
  { id, directive }: PlannedTask,
  lint: (draft: DraftTask) => readonly PlanProblem[],
): readonly Finding[] {
  const { file } = directive;
  const text = ownWords(directive, plan.forbid);
  const draft = { id, wave: 0, place: [], file, text, hasFrontMatter: true, keys: {} };
  return lint(draft).map((problem) => placed(problem, file ?? id));
}

/** A plan is stored as it is approved, and shown to everyone who may see the run. */
function lintSecrets({ settings, waves }: PlanDraft): readonly PlanProblem[] {
  const found = (value: unknown, place: Place): readonly PlanProblem[] => {
    const shape = secretIn(JSON.stringify(value) ?? '');
    return shape === null ? [] : [{ rule: 'plan-secret', shape, place }];
  };
  return [
    ...Object.entries(settings).flatMap(([key, value]) => found(value, [key])),
    ...waves.flatMap(({ closure, place }) => found(closure, [...place, 'closure'])),
    ...waves.flatMap(({ tasks }) => tasks.flatMap(({ keys, text, place }) => found([keys, text], place))),
  ];
}

const lintWave = (wave: PlanDraft['waves'][number]): readonly PlanProblem[] =>
  wave.tasks.length > 0 ? [] : [{ rule: 'empty-wave', place: wave.place }];

/** Refuses the one id that is also a property of every object. */
const reservedId = (task: DraftTask): readonly PlanProblem[] =>
  task.id === 'constructor'
    ? [{ rule: 'bad-id', key: task.id, isItem: false, fault: 'reserved', place: idPlace(task), at: 'key' }]
    : [];

function duplicateIds(tasks: readonly DraftTask[]): readonly PlanProblem[] {
  const first = new Map<string, DraftTask>();
  return tasks.flatMap((task): PlanProblem[] => {
    if (first.has(task.id)) return [{ rule: 'duplicate-id', task: task.id, place: idPlace(task), at: 'key' }];
    first.set(task.id, task);
    return [];
  });
}

function unknownNeeds(tasks: readonly DraftTask[]): readonly PlanProblem[] {
  const known = new Map(tasks.toReversed().map((task) => [task.id, task]));
  return tasks.flatMap((task) =>
    (task.keys.needs ?? []).flatMap((need, index): PlanProblem[] => {
      const place = [...task.place, 'needs', index];
      const other = known.get(need);
      if (need === task.id) return [{ rule: 'cycle', tasks: [need, need], place }];
      if (other === undefined)
        return [{ rule: 'unknown-need', task: task.id, need, meant: nearestWord(need, known.keys()), place }];
      if (other.wave <= task.wave) return [];
      return [{ rule: 'later-need', task: task.id, wave: task.wave, need, needWave: other.wave, place }];
    }),
  );
}

/** Returns one problem for each cycle, with its tasks in order. */
function cycles(tasks: readonly DraftTask[]): readonly PlanProblem[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const done = new Set<string>();
  const problems: PlanProblem[] = [];
  for (const start of tasks) {
    const trail: { task: DraftTask; next: number }[] = [{ task: start, next: 0 }];
    const open = new Set([start.id]);
    if (done.has(start.id)) continue;
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const need = top.task.keys.needs?.[top.next++];
      if (need === undefined) {
        done.add(top.task.id);
        open.delete(top.task.id);
        trail.pop();
        continue;
      }
      const other = byId.get(need);
      if (other === undefined || done.has(need) || need === top.task.id) continue;
      if (open.has(need)) {
        const loop = [
          ...trail.slice(trail.findIndex((step) => step.task.id === need)).map((step) => step.task.id),
          need,
        ];
        const place = [...top.task.place, 'needs', top.next - 1];
        problems.push({ rule: 'cycle', tasks: loop, place });
        continue;
      }
      open.add(need);
      trail.push({ task: other, next: 0 });
    }
  }
  return problems;
}

function lintTask(task: DraftTask, settings: ResolvedSettings, runnable: readonly string[]): readonly PlanProblem[] {
  const keys = task.keys;
  const problems = (['owns', 'reads', 'shares', 'locks', 'deliverables'] as const).flatMap((key) =>
    lintPatterns(keys[key] ?? [], [...task.place, key]),
  );
  problems.push(...lintDrafted(task));
  if (settings.strict && ownsOf(task) === null)
    problems.push({ rule: 'owns-required', task: task.id, place: task.place, at: 'key' });
  if (isReadOnly(keys) && (keys.shares?.length || keys.locks?.length))
    problems.push({
      rule: 'read-only-writes',
      task: task.id,
      place: [...task.place, keys.shares?.length ? 'shares' : 'locks'],
      at: 'key',
    });
  return [...problems, ...lintAgent(task, settings, runnable)];
}

const lintRole = (role: DraftRole, settings: ResolvedSettings, runnable: readonly string[]): readonly PlanProblem[] => [
  ...lintPatterns(role.keys.owns ?? [], [...role.place, 'owns']),
  ...lintAgent(role, settings, runnable),
];

function lintAgent(task: DraftTask, settings: ResolvedSettings, runnable: readonly string[]): readonly PlanProblem[] {
  const agents = agentsOf(task, settings);
  const place = task.keys.agent === undefined ? task.place : [...task.place, 'agent'];
  const unable = agents.filter((agent) => !runnable.includes(agent));
  if (unable.length > 0) {
    const meant = nearestWord(unable[0] ?? '', runnable);
    return [{ rule: 'unknown-agent', task: task.id, agents: unable, runnable, meant, place, at: 'key' }];
  }
  const command = commandOf(task, settings);
  const taking = agents.find(takesCommand);
  if (taking !== undefined && command === null)
    return [{ rule: 'command-missing', task: task.id, agent: taking, place, at: 'key' }];
  if (command?.[0] === '' || command?.some((argument) => argument.includes('\0')))
    return [{ rule: 'bad-command', task: task.id, place: [...task.place, 'command'] }];
  if (task.keys.command && taking === undefined)
    return [{ rule: 'command-unused', task: task.id, agents, place: [...task.place, 'command'] }];
  return [];
}

/** Warns about a limit of the plan or the configuration that has no effect on these tasks. */
export function lintTurns({ settings, waves }: PlanDraft): readonly PlanProblem[] {
  if (settings.limits.turns === null) return [];
  const tasks = waves
    .flatMap((wave) => wave.tasks)
    .filter((task) => agentsOf(task, settings).some((agent) => !countsTurns(agent)))
    .map(({ id }) => id);
  return tasks.length === 0 ? [] : [{ rule: 'turns-uncounted', tasks, place: ['limits', 'turns'] }];
}

/** A check with `defines` gets no warning: its author has named the files. */
export function lintDefinitions(
  checks: ResolvedSettings['checks'],
  setup: string | null,
  found: ReadonlyMap<string, CommandDefinitions>,
): readonly Finding[] {
  const before = setup === null ? [] : (found.get(setup)?.unread ?? []);
  return checks.flatMap(({ name, run, defines }): readonly Finding[] => {
    const unread = new Set([...(found.get(run)?.unread ?? []), ...before]);
    const commands = [...unread].slice(0, 5).map((word) => word.slice(0, 60));
    return commands.length === 0 || defines !== undefined ? [] : [{ rule: 'check-unread', check: name, commands }];
  });
}

/** One file, so that it can be read. */
function lintDrafted({ keys: { drafts }, place }: DraftTask): readonly PlanProblem[] {
  if (drafts === undefined) return [];
  const at = [...place, 'drafts'];
  if (!/[*?]|\/$/.test(drafts)) return lintPattern(drafts, at);
  return [{ rule: 'bad-pattern', pattern: drafts, fault: { reason: 'several-drafts' }, place: at }];
}

export function lintPatterns(patterns: readonly string[], place: Place): PlanProblem[] {
  return patterns.flatMap((text, index) => lintPattern(text, [...place, index]));
}

export function lintPattern(text: string, place: Place): PlanProblem[] {
  const parsed = parsePattern(text);
  if (!parsed.ok) {
    const fault = parsed.error;
    const leaves = fault.reason === 'absolute' || text.split('/').includes('..');
    return leaves
      ? [{ rule: 'leaves-repository', path: text, fault, place }]
      : [{ rule: 'bad-pattern', pattern: text, fault, place }];
  }
  const first = parsed.value.prefix[0];
  if (first === foldPath('.tidegate') || first === '.git')
    return [{ rule: 'reserved-pattern', pattern: text, directory: first, place }];
  return [];
}

const idPlace = (task: DraftTask): Place =>
  typeof task.place.at(-1) === 'number' ? [...task.place, 'id'] : task.place;

/** Judges tasks whose `exit.completion` names a level for their `components`: a wave may advance each by one level at most. */
export function lintMaturity(tasks: readonly DraftTask[]): readonly PlanProblem[] {
  const reached = new Map<string, { readonly wave: number; readonly level: Maturity }>();
  return tasks
    .toSorted((a, b) => a.wave - b.wave)
    .flatMap((task) => {
      const level = levelOf(task);
      if (level === null) return [];
      return (task.keys.components ?? []).flatMap((component): PlanProblem[] => {
        const before = reached.get(component);
        const isFine = before === undefined || before.wave === task.wave || isStep(before.level, level);
        if (before?.wave !== task.wave || isBehind(before.level, level))
          reached.set(component, { wave: task.wave, level });
        if (isFine) return [];
        const from = before.level;
        const skipped = maturity.slice(maturity.indexOf(from) + 1, maturity.indexOf(level));
        const place = [...task.place, 'exit', 'completion'];
        return [{ rule: 'maturity-jump', task: task.id, component, from, to: level, skipped, place }];
      });
    });
}

const isBehind = (one: Maturity, other: Maturity): boolean => maturity.indexOf(one) < maturity.indexOf(other);

/** Returns null for other words, which have another meaning there. */
const levelOf = ({ keys }: DraftTask): Maturity | null =>
  maturity.find((level) => level === keys.exit?.completion) ?? null;
