import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ReadPlan } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { definitionLines } from '../../view/plan-view.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';

/** `tidegate lint [plan…]`: every mistake in all files at once. */
export async function lintPlan(
  { plan }: { readonly plan: readonly string[] },
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  const loaded = await ports.readPlan(context, plan);
  return loaded.ok ? outcomeOf(loaded.value) : misused('no-plan', `lint: ${loaded.error}`);
}

export function outcomeOf(loaded: ReadPlan): Outcome {
  const warnings = loaded.warnings.flatMap((finding) => findingLines(finding, 'warning'));
  if (!loaded.ok) {
    const { findings } = loaded;
    const lines = [
      ...warnings,
      ...findings.flatMap((finding) => findingLines(finding, 'error')),
      count(findings.length),
    ];
    return {
      exit: exitCodes.usage,
      reason: 'plan-invalid',
      lines,
      data: { findings: findings.map(explain), warnings: loaded.warnings.map(explain) },
    };
  }
  const { plan, hash, planFile } = loaded;
  const tasks = plan.waves.reduce((sum, wave) => sum + wave.tasks.length, 0);
  const summary = `${planFile}: ${plural(plan.waves.length, 'wave')}, ${plural(tasks, 'task')}, plan hash ${hash.slice(0, 12)}`;
  const checks = plan.checks.flatMap((check) => [`check ${check.name}: ${check.run}`, ...definitionLines(check)]);
  return done([...warnings, ...(checks.length === 0 ? [withoutChecks] : checks), summary], {
    planFile,
    hash,
    waves: plan.waves.length,
    tasks,
    checks: plan.checks,
    warnings: loaded.warnings.map(explain),
  });
}

/** No rule of its own: `run` says it where it begins, and a plan for notes needs none. */
const withoutChecks: Text = [
  { text: 'warning', tone: 'waiting' },
  ': the plan has no checks: work is merged when it merges cleanly, and nothing is run on it',
];

/** `file:line:column message`, so that editors and terminals can jump there; the hint below it. */
export function findingLines(finding: Finding, level: 'error' | 'warning'): readonly Text[] {
  const { where, detail, fix } = explain(finding);
  const mark = { text: level, tone: level === 'error' ? 'bad' : 'waiting' } as const;
  const main: Text = [where === undefined ? '' : `${where}: `, mark, `: ${detail}`];
  return fix === undefined ? [main] : [main, [{ text: `  ${fix}`, tone: 'dim' }]];
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const count = (findings: number): string => `${plural(findings, 'mistake')}; nothing was started`;
