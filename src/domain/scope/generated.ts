import type { Finding } from '../findings/finding.ts';
import type { GeneratorOutcome } from '../gates/evidence.ts';
import type { FrozenPlan } from '../plan/plan.ts';

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
