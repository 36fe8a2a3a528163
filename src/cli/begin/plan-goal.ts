import { join } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import { explain } from '../../domain/explain/explain.ts';
import { draftDirective } from '../../planner/briefs.ts';
import { estimate, type Tier } from '../../planner/complexity.ts';
import { type GoalPlan, planOfGoal } from '../../planner/goal-plan.ts';
import { registryOf } from '../../planner/registry.ts';
import { type TemplateName, templateNames } from '../../planner/templates.ts';
import type { ReadPlan, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, done, misused, type Outcome } from '../frame/command.ts';
import type { PlanFiles } from '../frame/ports.ts';
import { type OpenRepository, withRepository } from '../frame/with-repository.ts';
import { findingLines, outcomeOf as lintOutcome } from './lint.ts';
import { checkedThenRun } from './run.ts';

export type GoalOptions = {
  readonly template: string | undefined;
  readonly agent: string | undefined;
  readonly output: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly land: boolean;
};

/** `tidegate plan "<goal>"`: a plan by fixed rules, as a file that says nothing to lint; or one that an agent drafts in a run. */
export async function planGoal(
  open: OpenRepository,
  files: PlanFiles,
  context: Context,
  goal: string,
  options: GoalOptions,
): Promise<Outcome> {
  const template = templateNames.find((name) => name === (options.template ?? 'implementation'));
  if (template === undefined)
    return misused(
      'unknown-template',
      `plan: there is no template ${options.template}; there are ${templateNames.join(', ')}`,
    );
  if (options.agent === undefined && (options.yes || options.land))
    return misused('usage', 'plan: --yes and --land go with --agent: without one nothing is run');
  const drafts: Drafting[] = [];
  const written = await withRepository(open, context, 'look', async (repo) => {
    const made = await planned(repo, goal, template);
    if (!made.ok) return made.error;
    const path = pathOf(repo, files, context, options.output);
    if (options.agent === undefined) return await keep(files, made.value, path, options);
    if (path === null || !path.startsWith(`${repo.checkout}/`))
      return misused('outside', 'plan: an agent writes into the repository; name a file in it with -o');
    if (await files.isThere(path)) return notWritten('exists', options.output ?? usualFile);
    const file = path.slice(repo.checkout.length + 1);
    drafts.push({ agent: options.agent, goal, file, ruled: made.value.text });
    return done();
  });
  const [draft] = drafts;
  return draft === undefined ? written : await draftedBy(open, context, draft, options);
}

type Planned = GoalPlan & { readonly read: ReadPlan & { readonly ok: true }; readonly text: string };

/** Read as any plan is, with every layer around it: what would be found later is found before there is a file. */
async function planned(
  repo: RepositoryHandle,
  goal: string,
  template: TemplateName,
): Promise<Result<Planned, Outcome>> {
  const settings = await repo.settings();
  const made = planOfGoal(goal, { template, registry: registryOf(settings.registry), protect: settings.protect });
  if (!made.ok) return err(misused('bad-goal', `plan: ${made.error}`));
  const read = await repo.readPlan(made.value.sketch, { land: null, focus: null });
  if (!read.ok) return err(misused('no-plan', `plan: ${read.error}`));
  if (!read.value.ok) return err(lintOutcome(read.value));
  const vague = read.value.warnings.find(({ rule }) => rule === 'directive-vague');
  if (vague !== undefined)
    return err(
      misused(
        'vague-goal',
        `plan: nobody could tell when "${safeLine(goal).slice(0, 120)}" is done; ${explain(vague).fix}`,
      ),
    );
  return ok({ ...made.value, read: read.value, text: read.value.text ?? '' });
}

/** Null: it is only printed. */
function pathOf(repo: RepositoryHandle, files: PlanFiles, context: Context, output: string | undefined): string | null {
  if (output === '-') return null;
  return output === undefined ? join(repo.checkout, usualFile) : files.resolve(context.cwd, output);
}
const usualFile = 'tidegate.plan.yaml';

async function keep(
  files: PlanFiles,
  { sketch, notes, read, text }: Planned,
  path: string | null,
  { output, dryRun }: GoalOptions,
): Promise<Outcome> {
  const data = { text, notes, warnings: read.warnings.map(explain), hash: read.hash };
  if (path === null || dryRun) return done(text.trimEnd().split('\n'), data);
  const file = output ?? usualFile;
  const wrote = await files.write(path, text);
  if (wrote !== 'written') return notWritten(wrote, file);
  const lines: Text[] = [
    ...read.warnings.flatMap((finding) => findingLines(finding, 'warning')),
    ...sketch.waves.flatMap((tasks, at) => [
      [{ text: sketch.waveNames?.[at] ?? '', tone: 'dim' }] as const,
      ...tasks.map(({ id, do: brief, keys }) => `  ${id}  ${keys?.role}, ${sizeOf(brief, keys?.owns)}`),
    ]),
    ...notes.map((note) => `note: ${note}`),
    `Wrote ${file}. Read it and change what you like; then: tidegate run ${file}`,
  ];
  return done(lines, { ...data, file: path });
}

function sizeOf(brief: string, owns: readonly string[] | null | undefined): Tier | 'read-only' {
  if (owns?.length === 0) return 'read-only';
  const goal = brief.split('\n\n')[1] ?? '';
  return estimate(goal, { files: owns?.length ?? 0, directories: 0 }, { files: 5, model: null }).complexity;
}

type Drafting = {
  readonly agent: string;
  readonly goal: string;
  /** From the root of the repository. */
  readonly file: string;
  /** What the rules make of the goal. */
  readonly ruled: string;
};

/** An ordinary run of one task that owns one file, and is done when nothing stands against that file as a plan. */
async function draftedBy(
  open: OpenRepository,
  context: Context,
  { agent, goal, file, ruled }: Drafting,
  { dryRun, yes, land }: GoalOptions,
): Promise<Outcome> {
  const task = {
    id: 'draft-plan',
    do: draftDirective({ goal, file, ruled }),
    keys: { role: 'design', owns: [file], deliverables: [file], drafts: file },
  } as const;
  const sketch = { name: 'plan-draft', agent, waves: [[task]], note: 'Made by tidegate plan --agent' };
  const asked = { command: 'plan', typed: true };
  const outcome = await checkedThenRun(open, context, sketch, { dryRun, yes, land }, asked);
  if (outcome.reason !== 'landed') return outcome;
  const next = `Read ${file} and change what you like; then: tidegate run ${file}`;
  return { ...outcome, lines: [...(outcome.lines ?? []), next] };
}

/** Refuses to write over a file, or into a folder that is not there. */
export function notWritten(why: 'exists' | 'no-folder', output: string): Outcome {
  return why === 'exists'
    ? misused('exists', `plan: ${output} is there already and was left alone; name another with -o`)
    : misused('no-folder', `plan: there is no folder for ${output}; make it, or name another file with -o`);
}
