import { takesCommand } from './agents.ts';
import { lintDirective, lintDirectiveLength, mergeGate } from './directive.ts';
import type { PreflightEvidence } from './evidence.ts';
import type { Finding } from './findings/finding.ts';
import { nearestWord } from './nearest-word.ts';
import { protectWarnings } from './ownership.ts';
import { foldPath } from './path-fold.ts';
import { parsePattern } from './pattern.ts';
import type { FrozenPlan, PlannedTask, Skill } from './plan.ts';
import { agentsOf, commandOf, type Draft, type DraftTask, type Place, type Problem } from './plan-draft.ts';
import { lintMaturity } from './planner/maturity.ts';
import type { ResolvedSettings } from './settings.ts';

/** Mistakes that no single value shows. `runnable` are the agents that this version can drive. */
export function lintDraft(draft: Draft, runnable: readonly string[]): readonly Problem[] {
  const tasks = draft.waves.flatMap((wave) => wave.tasks);
  return [
    ...draft.waves.flatMap(lintWave),
    ...tasks.flatMap(reservedId),
    ...duplicateIds(tasks),
    ...unknownNeeds(tasks),
    ...cycles(tasks),
    ...lintMaturity(tasks),
    ...tasks.flatMap((task) => lintTask(task, draft.settings, runnable)),
  ];
}

/** `known`: what the branch `base` has. */
export function lintSkills(draft: Draft, known: ReadonlyMap<string, Skill>, base: string): readonly Problem[] {
  return draft.waves
    .flatMap((wave) => wave.tasks)
    .flatMap((task) =>
      (task.keys.skills ?? []).flatMap((name, index): Problem[] => {
        if (known.has(name)) return [];
        const meant = nearestWord(name, known.keys());
        const fix = meant ? `did you mean \`${meant}\`?` : `commit .claude/skills/${name}/SKILL.md on ${base}`;
        const detail = `\`${task.id}\` names the skill \`${name}\`, which ${base} does not have`;
        return [{ rule: 'unknown-skill', detail, place: [...task.place, 'skills', index], fix }];
      }),
    );
}

/** The frozen directives of one wave, judged again as they will be given to agents, and what people should know of it. */
export function lintDirectives(plan: FrozenPlan, wave: number): PreflightEvidence {
  const tasks = plan.waves[wave]?.tasks ?? [];
  const vague = tasks.flatMap((task) => lintFrozen(task, (draft) => lintDirective(draft, plan.strict)));
  const long = tasks.flatMap((task) => lintFrozen(task, lintDirectiveLength));
  const incomplete = tasks.flatMap((task): Finding[] => {
    const where = task.directive.file ?? task.id;
    if (!task.directive.text.includes(mergeGate))
      return [{ rule: 'merge-gate', detail: `the directive of \`${task.id}\` has no merge-gate block`, where }];
    if (task.directive.text.split(mergeGate)[0]?.trim() === '')
      return [{ rule: 'empty-directive', detail: `the directive of \`${task.id}\` has no text`, where }];
    return [];
  });
  const guarded = [...long, ...protectWarnings(plan, wave)];
  return plan.strict
    ? { errors: [...incomplete, ...vague], warnings: guarded }
    : { errors: incomplete, warnings: [...vague, ...guarded] };
}

/** Front matter is not part of the frozen text; loading has judged it. */
function lintFrozen(task: PlannedTask, lint: (draft: DraftTask) => readonly Problem[]): readonly Finding[] {
  const { file, text } = task.directive;
  const brief = text.split(mergeGate)[0] ?? '';
  const draft = { id: task.id, wave: 0, place: [], file, text: brief, hasFrontMatter: true, keys: {} };
  return lint(draft).map(({ rule, detail, fix }) => ({
    rule,
    detail,
    where: file ?? task.id,
    ...(fix === undefined ? {} : { fix }),
  }));
}

const lintWave = (wave: Draft['waves'][number]): readonly Problem[] =>
  wave.tasks.length > 0
    ? []
    : [
        {
          rule: 'empty-wave',
          detail: 'this wave has no task',
          place: wave.place,
          fix: 'add a task or remove the wave',
        },
      ];

/** The one id that is also a name every object answers to. */
const reservedId = (task: DraftTask): readonly Problem[] =>
  task.id === 'constructor'
    ? [{ rule: 'bad-id', detail: '`constructor` is reserved', place: idPlace(task), at: 'key', fix: 'use another id' }]
    : [];

function duplicateIds(tasks: readonly DraftTask[]): readonly Problem[] {
  const first = new Map<string, DraftTask>();
  return tasks.flatMap((task) => {
    if (!first.has(task.id)) {
      first.set(task.id, task);
      return [];
    }
    const detail = `task id \`${task.id}\` is used twice`;
    return [
      { rule: 'duplicate-id', detail, place: idPlace(task), at: 'key', fix: 'ids are unique in a plan' } as const,
    ];
  });
}

function unknownNeeds(tasks: readonly DraftTask[]): readonly Problem[] {
  const known = new Map(tasks.toReversed().map((task) => [task.id, task]));
  return tasks.flatMap((task) =>
    (task.keys.needs ?? []).flatMap((need, index): Problem[] => {
      const place = [...task.place, 'needs', index];
      const other = known.get(need);
      if (need === task.id) return [{ rule: 'cycle', detail: `\`${task.id}\` needs itself`, place }];
      if (other === undefined) {
        const meant = nearestWord(need, known.keys());
        const fix = meant ? `did you mean \`${meant}\`?` : 'needs names tasks of this plan';
        return [{ rule: 'unknown-need', detail: `\`${task.id}\` needs \`${need}\`, which does not exist`, place, fix }];
      }
      if (other.wave <= task.wave) return [];
      const detail = `\`${task.id}\` of wave ${task.wave} needs \`${need}\` of the later wave ${other.wave}`;
      return [{ rule: 'later-need', detail, place, fix: 'move one of them to another wave' }];
    }),
  );
}

/** One problem per cycle found, naming its tasks in order. */
function cycles(tasks: readonly DraftTask[]): readonly Problem[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const done = new Set<string>();
  const problems: Problem[] = [];
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
        problems.push({ rule: 'cycle', detail: `needs go in a circle: ${loop.join(' -> ')}`, place });
        continue;
      }
      open.add(need);
      trail.push({ task: other, next: 0 });
    }
  }
  return problems;
}

function lintTask(task: DraftTask, settings: ResolvedSettings, runnable: readonly string[]): readonly Problem[] {
  const keys = task.keys;
  const problems = (['owns', 'reads', 'shares', 'locks', 'deliverables'] as const).flatMap((key) =>
    lintPatterns(keys[key] ?? [], [...task.place, key]),
  );
  problems.push(...lintDrafted(task));
  if (settings.strict && (keys.owns === undefined || keys.owns === null))
    problems.push({
      rule: 'owns-required',
      detail: `\`${task.id}\` has no \`owns\`, which \`strict\` requires`,
      place: task.place,
      at: 'key',
      fix: 'add `owns: [...]`, or `owns: []` for a read-only task',
    });
  if (keys.owns?.length === 0 && (keys.shares?.length || keys.locks?.length))
    problems.push({
      rule: 'read-only-writes',
      detail: `\`${task.id}\` is read-only (\`owns: []\`) but shares or locks paths`,
      place: [...task.place, keys.shares?.length ? 'shares' : 'locks'],
      at: 'key',
    });
  return [...problems, ...lintAgent(task, settings, runnable)];
}

function lintAgent(task: DraftTask, settings: ResolvedSettings, runnable: readonly string[]): readonly Problem[] {
  const agents = agentsOf(task, settings);
  const place = task.keys.agent === undefined ? task.place : [...task.place, 'agent'];
  const unable = agents.filter((agent) => !runnable.includes(agent));
  if (unable.length > 0) {
    const detail = `\`${task.id}\` would run ${unable.join(', ')}; this version runs ${runnable.join(', ')}`;
    const near = nearestWord(unable[0] ?? '', runnable);
    const fix =
      near === null
        ? 'name one of these; in a plan any program is `agent: command` with `command: [program, argument]`'
        : `write \`agent: ${near}\``;
    return [{ rule: 'unknown-agent', detail, place, at: 'key', fix }];
  }
  const command = commandOf(task, settings);
  const taking = agents.find(takesCommand);
  if (taking !== undefined && command === null) {
    const detail = `\`${task.id}\` runs \`${taking}\` but says no argv`;
    return [{ rule: 'command-missing', detail, place, at: 'key', fix: 'add `command: [program, argument]`' }];
  }
  if (command?.[0] === '' || command?.some((argument) => argument.includes('\0')))
    return [{ rule: 'bad-command', detail: 'not an argv', place: [...task.place, 'command'] }];
  if (task.keys.command && taking === undefined) {
    const detail = `\`${task.id}\` gives a command, but its agent is ${agents.join(', ')}`;
    return [{ rule: 'command-unused', detail, place: [...task.place, 'command'], fix: 'write `agent: command`' }];
  }
  return [];
}

/** One file, so that it can be read. */
function lintDrafted({ keys: { drafts }, place }: DraftTask): readonly Problem[] {
  if (drafts === undefined) return [];
  const at = [...place, 'drafts'];
  if (!/[*?]|\/$/.test(drafts)) return lintPattern(drafts, at);
  return [
    { rule: 'bad-pattern', detail: `\`${drafts}\` is more than one file`, place: at, fix: 'name the plan itself' },
  ];
}

export function lintPatterns(patterns: readonly string[], place: Place): Problem[] {
  return patterns.flatMap((text, index) => lintPattern(text, [...place, index]));
}

export function lintPattern(text: string, place: Place): Problem[] {
  const parsed = parsePattern(text);
  if (!parsed.ok) {
    const leaves = parsed.error.reason === 'absolute' || text.split('/').includes('..');
    const rule = leaves ? 'leaves-repository' : 'bad-pattern';
    return [{ rule, detail: `\`${text}\`: ${parsed.error.detail}`, place }];
  }
  const first = parsed.value.prefix[0];
  if (first === foldPath('.tidegate') || first === '.git')
    return [{ rule: 'reserved-path', detail: `\`${text}\`: ${first}/ is reserved`, place }];
  return [];
}

const idPlace = (task: DraftTask): Place =>
  typeof task.place.at(-1) === 'number' ? [...task.place, 'id'] : task.place;
