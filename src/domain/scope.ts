import { type Claim, claimsOf, type Granted, grantPattern, grantsOf } from './claims.ts';
import type { DiffEntry } from './evidence.ts';
import type { TaskId } from './ids.ts';
import { foldPath } from './path-fold.ts';
import { agentConfigIn, unsafePath } from './path-safety.ts';
import { matches, matchesFolded, type Pattern, pattern } from './pattern.ts';
import { indexPatterns, type PatternIndex } from './pattern-index.ts';
import type { FrozenPlan, PlannedTask } from './plan.ts';
import type { Finding } from './verdict.ts';

/** What one task may change, with all that is needed to say why not. */
export type Scope = {
  readonly task: TaskId;
  readonly kind: 'read-only' | 'owned' | 'unclaimed';
  readonly own: readonly Pattern[];
  readonly granted: readonly Pattern[];
  /** What the other tasks of its wave claim. */
  readonly siblings: PatternIndex<Claim>;
  /** What people granted to other tasks. */
  readonly granting: PatternIndex<Claim>;
  /** What tasks of this and earlier waves have locked. */
  readonly locks: PatternIndex<Claim>;
  readonly protect: readonly Pattern[];
  readonly generated: ReadonlySet<string>;
};

export function scopeOf(plan: FrozenPlan, task: PlannedTask, granted: Granted): Scope {
  const wave = plan.waves.findIndex((one) => one.tasks.some((other) => other.id === task.id));
  return {
    task: task.id,
    kind: task.owns === null ? 'unclaimed' : task.owns.length === 0 ? 'read-only' : 'owned',
    own: [...(task.owns ?? []), ...task.shares, ...task.locks].map(pattern),
    granted: grantsOf(task.id, granted).map(grantPattern),
    granting: indexPatterns(
      granted
        .filter((grant) => grant.task !== task.id)
        .flatMap(({ task: other, paths }) =>
          paths.map((path) => ({ pattern: grantPattern(path), value: { task: other, by: 'granted' as const } })),
        ),
    ),
    ...waveIndexes(plan, wave),
    protect: plan.protect.map(pattern),
    generated: new Set(Object.keys(plan.generated)),
  };
}

/** Every change that is not this task's to make. Deletes and mode changes count like edits. */
export function outOfScope(scope: Scope, diff: readonly DiffEntry[]): readonly Finding[] {
  const counted = diff.filter((entry) => !entry.path.startsWith('.tidegate/'));
  return [...counted.flatMap((entry) => judgeEntry(scope, entry)), ...twoSpellings(counted)];
}

function judgeEntry(scope: Scope, entry: DiffEntry): readonly Finding[] {
  const { path } = entry;
  const unsafe = unsafePath(entry);
  if (unsafe)
    return [{ rule: unsafe.rule, detail: `${shown(path)} ${unsafe.why}`, where: path, fix: drop(scope, path) }];
  if (scope.generated.has(path)) return [];
  const why = refusal(scope, path);
  if (why === null) return [];
  const fix = scope.kind === 'read-only' ? drop(scope, path) : `${grant(scope, path)}, or ${drop(scope, path)}`;
  return [{ rule: why.rule, detail: `${entry.change} ${shown(path)}: ${why.why}`, where: path, fix }];
}

function refusal(scope: Scope, path: string): { readonly rule: string; readonly why: string } | null {
  if (scope.kind === 'read-only') return { rule: 'read-only', why: 'the task is read-only (`owns: []`)' };
  if (scope.granted.some((one) => matches(one, path))) return null;
  const lock = scope.locks.owners(path).find(({ value }) => value.task !== scope.task);
  const mine = scope.own.filter((one) => matches(one, path));
  if (lock && !scope.locks.owners(path).some(({ value }) => value.task === scope.task))
    return { rule: 'locked', why: `\`${lock.value.task}\` has locked \`${lock.pattern.text}\`` };
  const config = agentConfigIn(path);
  if (config !== null && !mine.some((one) => names(one, config)))
    return {
      rule: 'agent-config',
      why: `\`${config}\` steers agents; only a task that names it in \`owns\` may change it`,
    };
  if (mine.length > 0) return null;
  if (scope.kind === 'owned') return { rule: 'out-of-scope', why: 'the task does not own it' };
  const claims = [...scope.siblings.owners(path), ...scope.granting.owners(path)];
  const sibling = claims.find(({ value }) => value.task !== scope.task);
  if (sibling)
    return { rule: 'out-of-scope', why: `\`${sibling.value.task}\` claims it by \`${sibling.pattern.text}\`` };
  const guard = scope.protect.find((one) => matchesFolded(one, path));
  return guard ? { rule: 'protected', why: `it is protected by \`${guard.text}\`` } : null;
}

/** One file or directory that came to be under two spellings is one file on some systems, and lost there. */
function twoSpellings(diff: readonly DiffEntry[]): readonly Finding[] {
  const spellings = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { path, change } of diff) {
    if (change === 'deleted') continue;
    const segments = path.split('/');
    for (let length = 1; length <= segments.length; length++) {
      const spelled = segments.slice(0, length).join('/');
      const folded = foldPath(spelled);
      const first = spellings.get(folded);
      if (first === undefined) spellings.set(folded, spelled);
      if (first === undefined || first === spelled) continue;
      const detail = `${shown(spelled)} and ${shown(first)} differ only by case or normalisation`;
      findings.push({ rule: 'two-spellings', detail, where: path, fix: 'use one spelling' });
      break;
    }
  }
  return findings;
}

const names = (one: Pattern, config: string): boolean => one.text.split('/').some((part) => foldPath(part) === config);
const grant = (scope: Scope, path: string): string => `tidegate grant ${scope.task} ${shown(path)}`;
const drop = (scope: Scope, path: string): string => `tidegate drop ${scope.task} ${shown(path)}`;
const shown = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path));

type WaveIndexes = Pick<Scope, 'siblings' | 'locks'>;
const known = new WeakMap<FrozenPlan, Map<number, WaveIndexes>>();

/** A plan never changes, so each wave is indexed once for all its tasks. */
function waveIndexes(plan: FrozenPlan, wave: number): WaveIndexes {
  const waves = known.get(plan) ?? new Map<number, WaveIndexes>();
  known.set(plan, waves);
  const done = waves.get(wave);
  if (done) return done;
  const claims = plan.waves.slice(0, wave + 1).map((one) => one.tasks.flatMap((task) => claimsOf(plan, task, [])));
  const made = {
    siblings: indexPatterns(claims[wave] ?? []),
    locks: indexPatterns(claims.flat().filter(({ value }) => value.by === 'locks')),
  };
  waves.set(wave, made);
  return made;
}
