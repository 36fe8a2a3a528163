import type { GeneratorOutcome } from './evidence.ts';
import type { FrozenPlan } from './plan.ts';

/** Paths that no agent decides over: they are rebuilt by the plan's own commands on the integrated tree. */
export const generatedPaths = (plan: FrozenPlan): readonly string[] => Object.keys(plan.generated).toSorted();

/** The commands that rebuild them, in the order of the paths; one that rebuilds several runs once. */
export const generators = (plan: FrozenPlan): readonly string[] => [
  ...new Set(generatedPaths(plan).flatMap((path) => plan.generated[path] ?? [])),
];

export const generatorMinutes = 10;

/** Why nothing can be taken from this outcome; null: the generated paths of its snapshot stand. */
export function generatorFailure(plan: FrozenPlan, { ending, snapshot, tail }: GeneratorOutcome): string | null {
  if (ending.reason !== 'exited' || ending.code !== 0)
    return [`\`${generators(plan).join('`, `')}\` ${howEnded(ending)}`, lastLines(tail)].filter(Boolean).join(': ');
  if (snapshot === null) return 'what the commands left could not be snapshotted';
  for (const path of generatedPaths(plan)) {
    const finding = [...snapshot.refused, ...snapshot.secrets].find(({ where = '' }) => isAtOrBelow(path, where));
    if (finding !== undefined) return `${finding.where}: ${finding.detail}`;
    const entry = snapshot.diff.find((changed) => changed.path === path);
    if (entry !== undefined && !plainModes.has(entry.newMode)) return `${path} is not a plain file`;
    const replaced = snapshot.diff.find(
      (changed) => changed.change === 'deleted' && changed.path !== path && isAtOrBelow(path, changed.path),
    );
    if (replaced !== undefined) return `${path} takes the place of ${replaced.path}, which is not generated`;
  }
  return null;
}

/** '000000': it was removed. */
const plainModes: ReadonlySet<string> = new Set(['000000', '100644', '100755']);

const isAtOrBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

function howEnded({ reason, code, signal, detail }: GeneratorOutcome['ending']): string {
  switch (reason) {
    case 'exited':
      return signal === null ? `ended with ${code}` : `was killed by ${signal}`;
    case 'timed-out':
    case 'silent':
      return `took longer than ${generatorMinutes} minutes`;
    default:
      return `could not run (${[reason, detail].filter(Boolean).join(': ')})`;
  }
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-5).join('\n').slice(-1000).trim();
