import type { TaskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { GeneratorOutcome, OwnershipEvidence } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { literalPattern, matches, type Pattern, type PatternEntry, parsePattern, pattern } from './pattern.ts';

export type Granted = OwnershipEvidence['granted'];

/** A path pattern that a task may write, and the reason. */
export type Claim = { readonly task: TaskId; readonly by: 'owns' | 'shares' | 'locks' | 'granted' };

/** Claims of a task. Generated paths are left out: no edit of them counts, so no two tasks can conflict there. */
export function claimsOf(plan: FrozenPlan, task: PlannedTask, granted: Granted): readonly PatternEntry<Claim>[] {
  const claims = (texts: readonly string[], by: Claim['by']) =>
    texts
      .filter((text) => !Object.hasOwn(plan.generated, text))
      .map((text) => ({
        pattern: by === 'granted' ? grantPattern(text) : pattern(text),
        value: { task: task.id, by },
      }));
  return [
    ...claims(task.owns ?? [], 'owns'),
    ...claims(task.shares, 'shares'),
    ...claims(task.locks, 'locks'),
    ...claims(grantsOf(task.id, granted), 'granted'),
  ];
}

export const grantsOf = (task: TaskId, granted: Granted): readonly string[] =>
  granted.filter((grant) => grant.task === task).flatMap((grant) => grant.paths);

/** A person grants a path as they see it. A name that is no pattern means that one path. */
export function grantPattern(text: string): Pattern {
  const parsed = parsePattern(text);
  return parsed.ok ? parsed.value : literalPattern(text);
}

/** `edited`: a person changed it by hand, and nothing else makes it the task's. */
export type Whose = 'owned' | 'shared' | 'locked' | 'granted' | 'generated' | 'unclaimed' | 'edited';

/** Returns why a task may change a path of its scope; a path that it owns by name comes first. */
export function whoseFile(plan: FrozenPlan, task: PlannedTask, granted: Granted, path: string): Whose {
  if (Object.hasOwn(plan.generated, path)) return 'generated';
  const claim = claimsOf(plan, task, granted).find((one) => matches(one.pattern, path));
  return claim === undefined ? 'unclaimed' : whoseByClaim[claim.value.by];
}

const whoseByClaim: Record<Claim['by'], Whose> = {
  owns: 'owned',
  shares: 'shared',
  locks: 'locked',
  granted: 'granted',
};

/** Paths that no agent decides over: they are rebuilt by the plan's own commands on the integrated tree. */
export const generatedPaths = (plan: FrozenPlan): readonly string[] => Object.keys(plan.generated).toSorted();

/** The commands that rebuild them, in the order of the paths; one that rebuilds several runs once. */
export const generators = (plan: FrozenPlan): readonly string[] => [
  ...new Set(generatedPaths(plan).flatMap((path) => plan.generated[path] ?? [])),
];

export const generatorMinutes = 10;

/** Why nothing can be taken from this outcome; null: the generated paths of its snapshot stand. */
export function generatorFailure(plan: FrozenPlan, { ending, snapshot, tail }: GeneratorOutcome): Finding | null {
  if (ending.reason !== 'exited' || ending.code !== 0) {
    const commands = generators(plan);
    return { rule: 'generator-failed', ...ending, commands, minutes: generatorMinutes, words: lastLines(tail) };
  }
  if (snapshot === null) return { rule: 'generator-not-snapshotted' };
  for (const path of generatedPaths(plan)) {
    const finding = [...snapshot.refused, ...snapshot.secrets].find(({ where = '' }) => isAtOrBelow(path, where));
    if (finding !== undefined) return finding;
    const entry = snapshot.diff.find((changed) => changed.path === path);
    if (entry !== undefined && !plainModes.has(entry.newMode)) return { rule: 'generated-not-plain', where: path };
    const replaced = snapshot.diff.find(
      (changed) => changed.change === 'deleted' && changed.path !== path && isAtOrBelow(path, changed.path),
    );
    if (replaced !== undefined) return { rule: 'generated-replaces', where: path, replaced: replaced.path };
  }
  return null;
}

/** '000000': it was removed. */
const plainModes: ReadonlySet<string> = new Set(['000000', '100644', '100755']);

const isAtOrBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

const lastLines = (text: string): readonly string[] => text.trim().slice(-1000).split('\n').slice(-4);
