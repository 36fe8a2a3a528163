import { nearestWord } from '../base/nearest-word.ts';
import { present } from '../base/result.ts';
import type { PlanDraft, PlanProblem } from '../plan/plan-draft.ts';
import type { WrittenTarget } from '../settings/closure-settings.ts';
import type { EvalTarget } from './eval-targets.ts';
import { type DraftRole, draftRoles } from './role-drafts.ts';

/** Benchmarks by family, as the catalogue file of the base branch lists them. */
export type Catalogue = ReadonlyMap<string, readonly string[]>;
/** Catalogues by path. `malformed`: the file is no catalogue. A file that does not exist is absent. */
export type Catalogues = ReadonlyMap<string, Catalogue | 'malformed'>;

/**
 * Reads `families: { name: { benchmarks: … } }`. Benchmarks are a list of ids, or a mapping by id, as in the catalogues of
 * wave-orchestration. Returns `malformed` for anything else.
 */
export function catalogueIn(document: unknown): Catalogue | 'malformed' {
  const families = entriesOf(fieldOf(document, 'families'));
  if (families === null) return 'malformed';
  const read = families.map(([name, family]) => [name, idsOf(fieldOf(family, 'benchmarks'))] as const);
  const known = read.flatMap(([name, ids]) => (ids === null ? [] : [[name, ids] as const]));
  return known.length === read.length ? new Map(known) : 'malformed';
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;

function idsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return entriesOf(value)?.map(([id]) => id) ?? null;
  return value.every((id) => typeof id === 'string') ? value : null;
}

/** Returns the targets with the benchmarks that count, sorted: the frozen plan holds all that a report is compared with. */
export const freezeTargets = (
  { targets = [], catalogue = '' }: DraftRole,
  catalogues: Catalogues,
): readonly EvalTarget[] => {
  const known = catalogues.get(catalogue);
  return targets
    .map((target): EvalTarget => {
      const { id, threshold } = target;
      const family = 'family' in target ? target.family : undefined;
      const benchmarks = 'family' in target ? familyOf(known, target.family) : target.benchmarks;
      return { id, benchmarks: [...new Set(benchmarks)].sort(), ...present({ family, threshold }) };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

const familyOf = (known: Catalogue | 'malformed' | undefined, family: string): readonly string[] =>
  known === undefined || known === 'malformed' ? [] : (known.get(family) ?? []);

/** The catalogue files that eval roles of the draft name. */
export const cataloguePaths = (draft: PlanDraft): readonly string[] => [
  ...new Set(evalRoles(draft).flatMap(({ catalogue }) => catalogue ?? [])),
];

const evalRoles = (draft: PlanDraft): readonly DraftRole[] =>
  draft.waves.flatMap((_, wave) => draftRoles(draft, wave).filter(({ closes }) => closes === 'eval'));

/** Returns targets that no report could meet, and catalogues that cannot be read on `base`. */
export function lintTargets(draft: PlanDraft, catalogues: Catalogues, base: string): readonly PlanProblem[] {
  const seen = new Set<string>();
  return evalRoles(draft).flatMap((role) => {
    // a role of the plan is a role of every wave
    const key = JSON.stringify(role.place);
    if (seen.has(key)) return [];
    seen.add(key);
    return lintRole(role, catalogues, base);
  });
}

function lintRole(role: DraftRole, catalogues: Catalogues, base: string): readonly PlanProblem[] {
  const { targets = [], catalogue, place } = role;
  const known = catalogue === undefined ? undefined : catalogues.get(catalogue);
  const at = [...place, 'catalogue'];
  if (catalogue !== undefined && (known === undefined || known === 'malformed'))
    return [{ rule: 'eval-catalogue', file: catalogue, base, fault: known ?? 'missing', place: at }];
  return targets.flatMap((target, index): readonly PlanProblem[] => {
    const here = [...place, 'targets', index];
    if (targets.findIndex(({ id }) => id === target.id) < index)
      return [{ rule: 'eval-target-twice', id: target.id, place: [...here, 'id'] }];
    if (catalogue === undefined && 'family' in target)
      return [{ rule: 'eval-no-catalogue', id: target.id, named: target.family, place: [...here, 'family'] }];
    return lintTarget(target, known === 'malformed' ? undefined : known, here);
  });
}

function lintTarget(
  target: WrittenTarget,
  known: Catalogue | undefined,
  place: PlanProblem['place'],
): readonly PlanProblem[] {
  const unknown = (of: 'family' | 'benchmark', named: string, names: readonly string[], at: PlanProblem['place']) => ({
    rule: 'eval-unknown' as const,
    of,
    id: target.id,
    named,
    meant: nearestWord(named, names),
    place: at,
  });
  if ('family' in target) {
    const isKnown = (known?.get(target.family)?.length ?? 0) > 0;
    return isKnown ? [] : [unknown('family', target.family, [...(known?.keys() ?? [])], [...place, 'family'])];
  }
  if (known === undefined) return [];
  const all = [...known.values()].flat();
  return target.benchmarks.flatMap((id, index) =>
    all.includes(id) ? [] : [unknown('benchmark', id, all, [...place, 'benchmarks', index])],
  );
}
