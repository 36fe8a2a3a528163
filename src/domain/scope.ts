import { type Claim, claimsOf, type Granted, grantPattern, grantsOf } from './claims.ts';
import type { DiffEntry } from './evidence.ts';
import type { TaskId } from './ids.ts';
import { foldPath } from './path-fold.ts';
import { agentConfigIn, unsafePath } from './path-safety.ts';
import { matches, matchesFolded, type Pattern, pattern } from './pattern.ts';
import { type Entry, indexPatterns, type PatternIndex } from './pattern-index.ts';
import type { FrozenPlan, PlannedTask } from './plan.ts';
import { shellPath } from './shell-word.ts';
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
  const { siblings, locks } = waveClaims(plan, waveOf(plan, task));
  return scopeFrom(ownScope(plan, task, granted), siblings.index, locks.index);
}

/** A scope as plain data, for a process that has no plan. */
export type ScopeData = {
  readonly task: TaskId;
  readonly kind: Scope['kind'];
  readonly own: readonly string[];
  readonly granted: readonly string[];
  readonly siblings: readonly ClaimData[];
  readonly granting: readonly ClaimData[];
  readonly locks: readonly ClaimData[];
  readonly protect: readonly string[];
  readonly generated: readonly string[];
};

type ClaimData = Claim & { readonly pattern: string };
type OwnScope = Omit<ScopeData, 'siblings' | 'locks'>;

export function scopeDataOf(plan: FrozenPlan, task: PlannedTask, granted: Granted): ScopeData {
  const { siblings, locks } = waveClaims(plan, waveOf(plan, task));
  const own = ownScope(plan, task, granted);
  const data = ({ pattern: { text }, value }: Entry<Claim>): ClaimData => ({ ...value, pattern: text });
  // Siblings matter only to a task that owns nothing by name.
  return { ...own, siblings: own.kind === 'unclaimed' ? siblings.claims.map(data) : [], locks: locks.claims.map(data) };
}

export const readScope = (data: ScopeData): Scope =>
  scopeFrom(data, indexClaims(data.siblings), indexClaims(data.locks));

function ownScope(plan: FrozenPlan, task: PlannedTask, granted: Granted): OwnScope {
  return {
    task: task.id,
    kind: task.owns === null ? 'unclaimed' : task.owns.length === 0 ? 'read-only' : 'owned',
    own: [...(task.owns ?? []), ...task.shares, ...task.locks],
    granted: grantsOf(task.id, granted),
    granting: granted
      .filter((grant) => grant.task !== task.id)
      .flatMap(({ task: other, paths }) =>
        paths.map((path) => ({ task: other, by: 'granted', pattern: path }) as const),
      ),
    protect: plan.protect,
    generated: Object.keys(plan.generated),
  };
}

const scopeFrom = (data: OwnScope, siblings: Scope['siblings'], locks: Scope['locks']): Scope => ({
  task: data.task,
  kind: data.kind,
  own: data.own.map(pattern),
  granted: data.granted.map(grantPattern),
  siblings,
  granting: indexClaims(data.granting),
  locks,
  protect: data.protect.map(pattern),
  generated: new Set(data.generated),
});

const indexClaims = (claims: readonly ClaimData[]): PatternIndex<Claim> =>
  indexPatterns(claims.map(({ pattern: text, ...value }) => ({ pattern: grantPattern(text), value })));

const waveOf = (plan: FrozenPlan, task: PlannedTask): number =>
  plan.waves.findIndex((one) => one.tasks.some((other) => other.id === task.id));

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
  const why = refusalOf(scope, path);
  if (why === null) return [];
  const fix = isGrantable(scope, path) ? `${grant(scope, path)}, or ${drop(scope, path)}` : drop(scope, path);
  return [{ rule: why.rule, detail: `${entry.change} ${shown(path)}: ${why.why}`, where: path, fix }];
}

/** Why a path is not this task's to change; null when it is. Names that are unsafe for everyone, and generated files, come before. */
export function refusalOf(scope: Scope, path: string): { readonly rule: string; readonly why: string } | null {
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
/** A file that an agent named `**` must not be a way to be granted everything: as a grant its name is a pattern. */
const isGrantable = (scope: Scope, path: string): boolean => scope.kind !== 'read-only' && !/[*?]/.test(path);
const grant = (scope: Scope, path: string): string => `tidegate grant ${scope.task} ${shellPath(path)}`;
const drop = (scope: Scope, path: string): string => `tidegate drop ${scope.task} ${shellPath(path)}`;
const shown = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path));

type Claims = { readonly claims: readonly Entry<Claim>[]; readonly index: PatternIndex<Claim> };
type WaveClaims = { readonly siblings: Claims; readonly locks: Claims };
const known = new WeakMap<FrozenPlan, Map<number, WaveClaims>>();

/** A plan never changes, so each wave is indexed once for all its tasks. */
function waveClaims(plan: FrozenPlan, wave: number): WaveClaims {
  const waves = known.get(plan) ?? new Map<number, WaveClaims>();
  known.set(plan, waves);
  const done = waves.get(wave);
  if (done) return done;
  const claims = plan.waves.slice(0, wave + 1).map((one) => one.tasks.flatMap((task) => claimsOf(plan, task, [])));
  const indexed = (some: readonly Entry<Claim>[]): Claims => ({ claims: some, index: indexPatterns(some) });
  const locks = claims.flat().filter(({ value }) => value.by === 'locks');
  const made = { siblings: indexed(claims[wave] ?? []), locks: indexed(locks) };
  waves.set(wave, made);
  return made;
}
