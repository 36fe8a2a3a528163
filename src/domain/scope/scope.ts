import type { TaskId } from '../base/ids.ts';
import { foldPath } from '../base/paths.ts';
import {
  type CompiledDefinition,
  compileDefinitions,
  type DefinedPart,
  type DefinitionHit,
  definedParts,
  touchedDefinition,
} from '../check-definitions/definition.ts';
import type { Finding } from '../findings/finding.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask, PlannedWave } from '../plan/plan.ts';
import { type Claim, claimsOf, type Granted, grantPattern, grantsOf } from './claims.ts';
import { unsafePath } from './path-safety.ts';
import {
  indexPatterns,
  matches,
  matchesFolded,
  type Pattern,
  type PatternEntry,
  type PatternIndex,
  pattern,
} from './pattern.ts';
import { type Steering, steeringIn } from './steering.ts';

/** The paths that one task may change, with all that is needed to explain a refusal. */
export type Scope = {
  readonly task: TaskId;
  readonly kind: 'read-only' | 'owned' | 'unclaimed';
  readonly own: readonly Pattern[];
  readonly granted: readonly Pattern[];
  /** Paths that a person changed by hand: exactly these, whatever their names look like as patterns. */
  readonly edited: ReadonlySet<string>;
  /** Claims of the other tasks of its wave. */
  readonly siblings: PatternIndex<Claim>;
  /** Paths that people granted to other tasks. */
  readonly granting: PatternIndex<Claim>;
  /** Locks of tasks of this and earlier waves. */
  readonly locks: PatternIndex<Claim>;
  readonly protect: readonly Pattern[];
  /** Paths that a person took off everything that is protected. */
  readonly unprotect: readonly Pattern[];
  /** Files that decide what the checks, closure roles and the resolver of the plan do. */
  readonly definitions: readonly CompiledDefinition[];
  readonly generated: ReadonlySet<string>;
  /** The matrix of components, which only the merger writes; null without one. */
  readonly matrix: string | null;
  readonly isDerived: boolean;
};

export function scopeOf(plan: FrozenPlan, task: PlannedTask, granted: Granted, edited: readonly string[] = []): Scope {
  const { siblings, locks } = waveClaims(plan, waveOf(plan, task));
  return { ...scopeFrom(ownScope(plan, task, granted), siblings.index, locks.index), edited: new Set(edited) };
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
  /** Absent in what an earlier version wrote, as is `checks`. */
  readonly unprotect?: readonly string[];
  readonly checks?: readonly DefinedPart[];
  readonly generated: readonly string[];
  /** Absent without a matrix. */
  readonly matrix?: string;
  /** Set for a derived task: people grant nothing to it. */
  readonly derived?: true;
};

type ClaimData = Claim & { readonly pattern: string };
type OwnScope = Omit<ScopeData, 'siblings' | 'locks'>;

export function scopeDataOf(plan: FrozenPlan, task: PlannedTask, granted: Granted): ScopeData {
  const { siblings, locks } = waveClaims(plan, waveOf(plan, task));
  const own = ownScope(plan, task, granted);
  const data = ({ pattern: { text }, value }: PatternEntry<Claim>): ClaimData => ({ ...value, pattern: text });
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
    unprotect: plan.unprotect ?? [],
    checks: definedParts(plan),
    generated: Object.keys(plan.generated),
    ...(plan.matrix === undefined ? {} : { matrix: plan.matrix.path }),
    ...(task.purpose === undefined ? {} : { derived: true }),
  };
}

const scopeFrom = (data: OwnScope, siblings: Scope['siblings'], locks: Scope['locks']): Scope => ({
  task: data.task,
  kind: data.kind,
  own: data.own.map(pattern),
  granted: data.granted.map(grantPattern),
  edited: new Set(),
  siblings,
  granting: indexClaims(data.granting),
  locks,
  protect: data.protect.map(pattern),
  unprotect: (data.unprotect ?? []).map(pattern),
  definitions: compileDefinitions(data.checks ?? []),
  generated: new Set(data.generated),
  matrix: data.matrix ?? null,
  isDerived: data.derived === true,
});

const indexClaims = (claims: readonly ClaimData[]): PatternIndex<Claim> =>
  indexPatterns(claims.map(({ pattern: text, ...value }) => ({ pattern: grantPattern(text), value })));

const waveOf = (plan: FrozenPlan, task: PlannedTask): number =>
  plan.waves.findIndex((one) => claiming(one).some((other) => other.id === task.id));

/** Closure roles claim their paths as tasks do, so that a task without `owns` cannot change them. */
const claiming = ({ tasks, closure = [] }: PlannedWave): readonly PlannedTask[] => [...tasks, ...closure];

/** Every change that is not this task's to make. Deletes and mode changes count like edits. */
export function outOfScope(scope: Scope, diff: readonly DiffEntry[]): readonly Finding[] {
  const counted = diff.filter((entry) => !entry.path.startsWith('.tidegate/'));
  return [...counted.flatMap((entry) => judgeEntry(scope, entry)), ...twoSpellings(scope.task, counted)];
}

function judgeEntry(scope: Scope, { path, change, ...entry }: DiffEntry): readonly Finding[] {
  const { task } = scope;
  const unsafe = unsafePath({ path, change, ...entry });
  if (unsafe !== null) return [{ ...unsafe, where: path, task, change, grantable: false }];
  if (scope.generated.has(path) || (scope.kind !== 'read-only' && scope.edited.has(path))) return [];
  const foreign = whyForeign(scope, path, entry.keys ?? null);
  return foreign === null ? [] : [{ ...foreign, where: path, task, change, grantable: isGrantable(scope, path) }];
}

/** A path that is another's to change, or nobody's. */
type Foreign =
  | { readonly rule: 'read-only' }
  | { readonly rule: 'locked'; readonly by: TaskId; readonly pattern: string }
  | { readonly rule: 'agent-config'; readonly config: string; readonly steers: Steering }
  | ({ readonly rule: 'check-definition' } & DefinitionHit)
  | { readonly rule: 'out-of-scope'; readonly by: TaskId | null; readonly pattern: string | null }
  | { readonly rule: 'protected'; readonly pattern: string };

/**
 * Why a path is not this task's to change; null when it is. Names that are unsafe for everyone, and generated files, come before.
 * `keys` as in `touchedDefinition`.
 */
export function whyForeign(scope: Scope, path: string, keys?: readonly string[] | null): Foreign | null {
  if (scope.kind === 'read-only') return { rule: 'read-only' };
  if (scope.matrix !== null && foldPath(scope.matrix) === foldPath(path))
    return { rule: 'protected', pattern: scope.matrix };
  const grants = scope.granted.filter((one) => matches(one, path));
  if (grants.some((one) => one.literal)) return null;
  const isGranted = grants.length > 0;
  const lock = scope.locks.owners(path).find(({ value }) => value.task !== scope.task);
  const mine = scope.own.filter((one) => matches(one, path));
  if (lock && !isGranted && !scope.locks.owners(path).some(({ value }) => value.task === scope.task))
    return { rule: 'locked', by: lock.value.task, pattern: lock.pattern.text };
  const isOpen = scope.unprotect.some((one) => matches(one, path));
  const guard = isOpen ? undefined : scope.protect.find((one) => matchesFolded(one, path));
  const isNamed = isOpen || mine.some((one) => one.literal);
  const guarded = isNamed ? null : whyGuarded(scope, path, keys);
  const isProtectedAnyway = guard !== undefined && scope.kind === 'unclaimed' && mine.length === 0;
  if (guarded !== null && !(isProtectedAnyway && guarded.rule === 'agent-config' && guarded.steers === 'ci'))
    return guarded;
  if (mine.length > 0) return null;
  if (isGranted) return guard ? { rule: 'protected', pattern: guard.text } : null;
  if (scope.kind === 'owned') return { rule: 'out-of-scope', by: null, pattern: null };
  const claims = [...scope.siblings.owners(path), ...scope.granting.owners(path)];
  const sibling = claims.find(({ value }) => value.task !== scope.task);
  if (sibling) return { rule: 'out-of-scope', by: sibling.value.task, pattern: sibling.pattern.text };
  return guard ? { rule: 'protected', pattern: guard.text } : null;
}

/** Tells whether a task may change a path or pattern that it requested. A pattern is open if it was granted literally. */
export const mayChange = (scope: Scope, requested: string): boolean =>
  scope.granted.some(({ text }) => text === requested) || whyForeign(scope, requested) === null;

/** Returns what only a name without a wildcard opens, owned or granted: a wide pattern was written for something else. */
function whyGuarded(scope: Scope, path: string, keys: readonly string[] | null | undefined): Foreign | null {
  const steering = steeringIn(path);
  if (steering !== null) return { rule: 'agent-config', ...steering };
  const touched = touchedDefinition(scope.definitions, path, keys);
  return touched === null ? null : { rule: 'check-definition', ...touched };
}

/** One file or directory that came to be under two spellings is one file on some systems, and lost there. */
function twoSpellings(task: TaskId, diff: readonly DiffEntry[]): readonly Finding[] {
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
      findings.push({ rule: 'two-spellings', where: path, task, spelled, first });
      break;
    }
  }
  return findings;
}

/** A file that an agent named `**` must not be a way to be granted everything: as a grant its name is a pattern. */
export const isGrantable = (scope: Scope, path: string): boolean =>
  scope.kind !== 'read-only' && !scope.isDerived && path !== scope.matrix && !/[*?]/.test(path);

type Claims = { readonly claims: readonly PatternEntry<Claim>[]; readonly index: PatternIndex<Claim> };
type WaveClaims = { readonly siblings: Claims; readonly locks: Claims };
const claimsByPlan = new WeakMap<FrozenPlan, Map<number, WaveClaims>>();

/** A plan never changes, so each wave is indexed once for all its tasks. */
function waveClaims(plan: FrozenPlan, wave: number): WaveClaims {
  const waves = claimsByPlan.get(plan) ?? new Map<number, WaveClaims>();
  claimsByPlan.set(plan, waves);
  const done = waves.get(wave);
  if (done) return done;
  const claims = plan.waves.slice(0, wave + 1).map((one) => claiming(one).flatMap((task) => claimsOf(plan, task, [])));
  const indexed = (some: readonly PatternEntry<Claim>[]): Claims => ({ claims: some, index: indexPatterns(some) });
  const locks = claims.flat().filter(({ value }) => value.by === 'locks');
  const claimed = { siblings: indexed(claims[wave] ?? []), locks: indexed(locks) };
  waves.set(wave, claimed);
  return claimed;
}
