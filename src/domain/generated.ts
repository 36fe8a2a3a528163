import type { GeneratorOutcome } from './evidence.ts';
import { describeFinding } from './explain/explain.ts';
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
    return [howEnded(plan, ending), ...lastLines(tail)].filter(Boolean).join('; ');
  if (snapshot === null) return 'what the commands left could not be snapshotted';
  for (const path of generatedPaths(plan)) {
    const finding = [...snapshot.refused, ...snapshot.secrets].find(({ where = '' }) => isAtOrBelow(path, where));
    if (finding !== undefined) return describeFinding(finding);
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

/** Empty when the command that failed has said so in its last line of output, as `generateJob` has it do. */
function howEnded(plan: FrozenPlan, { reason, code, signal, detail }: GeneratorOutcome['ending']): string {
  const commands = `\`${generators(plan).join('`, `')}\``;
  switch (reason) {
    case 'exited':
      return code === null ? `${commands} ended by ${signal}` : '';
    case 'timed-out':
    case 'silent':
      return `${commands} took longer than ${generatorMinutes} minutes`;
    default:
      return `${commands} could not run (${[reason, detail].filter(Boolean).join(': ')})`;
  }
}

const lastLines = (text: string): readonly string[] => text.trim().slice(-1000).split('\n').slice(-4);
