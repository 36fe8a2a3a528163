import { join } from 'node:path';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { safeLine } from '../../../domain/base/safe-text.ts';
import { explain } from '../../../domain/explain/explain.ts';
import { isReadOnly } from '../../../domain/plan/plan.ts';
import { draftDirective } from '../../../planner/briefs.ts';
import { estimate, type Tier } from '../../../planner/complexity.ts';
import { type GoalPlan, planOfGoal } from '../../../planner/goal-plan.ts';
import { registryOf } from '../../../planner/registry.ts';
import { type TemplateName, templateNames } from '../../../planner/templates.ts';
import type { ReadPlan, RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { type Context, command, done, failure, type Outcome, usageError } from '../../frame/command.ts';
import type { OpenRepository, PlanFiles } from '../../frame/ports.ts';
import { resolveRun, withRepository } from '../../frame/subject.ts';
import { findingLines, lintOutcome } from '../begin/lint.ts';
import { checkThenRun } from './run.ts';

export const planCommand = command({
  name: 'plan',
  group: 'run',
  summary: 'write a plan file from a goal, or from a run of tidegate go',
  arguments: {
    goal: { about: 'the goal; fixed rules divide it into waves of tasks', variadic: true },
  },
  options: {
    template: { value: 'name', about: `the kind of work: ${templateNames.join(', ')} (default: implementation)` },
    agent: { value: 'name', about: 'let this agent draft the plan, in a run of one task' },
    fromGo: { value: 'run', about: 'save the plan of this run, which tidegate go started' },
    output: {
      short: 'o',
      value: 'file',
      about: 'the file to write, or - to print it (default: tidegate.plan.yaml; --from-go prints)',
    },
    dryRun: { about: 'show what would be written, or with --agent what would run' },
    yes: { about: 'with --agent: approve the start where there is no terminal, and nothing else' },
    land: { about: 'with --agent: approve the landing' },
  },
  help: `Examples:
  tidegate plan "Rate-limit POST /login to 5/min in src/login.ts, then document it in docs/api.md"
  tidegate plan "Cut version 2.1" --template release -o release.plan.yaml
  tidegate plan "Move the build to esbuild" --agent claude

A file that exists is never overwritten. The same goal always gives the same plan. An agent's draft is a change like any other:
its fence lets it write that one file, and the file lands when you approve it.`,
  run: async ({ goal, fromGo, ...options }, context, { ports }) => {
    const files = await ports.planFiles();
    if (fromGo === undefined)
      return goal.length === 0
        ? usageError('usage', 'plan: name a goal: tidegate plan "<goal>", or a run: tidegate plan --from-go <run>')
        : await planGoal(ports.openRepository, files, context, goal.join(' '), options);
    const { output, ...others } = options;
    return goal.length > 0 || Object.values(others).some((value) => value !== undefined && value !== false)
      ? usageError('usage', 'plan: --from-go can be combined with -o only')
      : await withRepository(ports.openRepository, context, 'look', (repo) =>
          savePlanOfRun(repo, files, context, { run: fromGo, output }),
        );
  },
});

async function savePlanOfRun(
  repo: RepositoryHandle,
  files: PlanFiles,
  context: Context,
  { run, output }: { readonly run: string; readonly output: string | undefined },
): Promise<Outcome> {
  const subject = await resolveRun(repo, 'plan', run);
  if (!subject.ok) return subject.error;
  const { state } = subject.value;
  const isTyped = Object.values(state.plan.waves).every((wave) =>
    wave.tasks.every((task) => task.directive.file === null),
  );
  if (state.planFile !== repo.state.writtenPlan(state.run) || !isTyped)
    return usageError('not-go', `plan: ${state.run} was not started by tidegate go; its plan is ${state.planFile}`);
  const text = await files.read(state.planFile);
  if (text === null)
    return failure('plan-gone', `plan: ${state.planFile} is gone. See what it contained: tidegate show ${state.run}`);
  if (output === undefined || output === '-') return done(text.trimEnd().split('\n'), { run: state.run, text });
  const path = files.resolve(context.cwd, output);
  const written = await files.write(path, text);
  if (written !== 'written') return notWritten(written, output);
  return done([`Wrote ${output}. Run it again: tidegate run ${output}`], { run: state.run, file: path });
}

type GoalOptions = {
  readonly template: string | undefined;
  readonly agent: string | undefined;
  readonly output: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly land: boolean;
};

/** Writes a plan by fixed rules, or lets an agent draft one in a run. */
async function planGoal(
  open: OpenRepository,
  files: PlanFiles,
  context: Context,
  goal: string,
  options: GoalOptions,
): Promise<Outcome> {
  const template = templateNames.find((name) => name === (options.template ?? 'implementation'));
  if (template === undefined)
    return usageError(
      'unknown-template',
      `plan: unknown template ${options.template}; use ${templateNames.join(', ')}`,
    );
  if (options.agent === undefined && (options.yes || options.land))
    return usageError('usage', 'plan: --yes and --land need --agent: without it nothing runs');
  const drafts: DraftRequest[] = [];
  const written = await withRepository(open, context, 'look', async (repo) => {
    const made = await planByRules(repo, goal, template);
    if (!made.ok) return made.error;
    const path = pathOf(repo, files, context, options.output);
    if (options.agent === undefined) return await savePlan(files, made.value, path, options);
    if (path === null || !path.startsWith(`${repo.checkout}/`))
      return usageError('outside', 'plan: an agent can write only inside the repository; name a file there with -o');
    if (await files.isThere(path)) return notWritten('exists', options.output ?? usualFile);
    const file = path.slice(repo.checkout.length + 1);
    drafts.push({ agent: options.agent, goal, file, ruled: made.value.text });
    return done();
  });
  const [draft] = drafts;
  return draft === undefined ? written : await draftByAgent(open, context, draft, options);
}

type RuledPlan = GoalPlan & { readonly read: ReadPlan & { readonly ok: true }; readonly text: string };

/** Makes a plan and reads it with every layer of settings, so that problems show before there is a file. */
async function planByRules(
  repo: RepositoryHandle,
  goal: string,
  template: TemplateName,
): Promise<Result<RuledPlan, Outcome>> {
  const settings = await repo.settings();
  const made = planOfGoal(goal, { ...settings, template, registry: registryOf(settings.registry) });
  if (!made.ok) return err(usageError('bad-goal', `plan: ${made.error}`));
  const read = await repo.readPlan(made.value.sketch, { land: null, focus: null });
  if (!read.ok) return err(usageError('no-plan', `plan: ${read.error}`));
  if (!read.value.ok) return err(lintOutcome(read.value));
  const vague = read.value.warnings.find(({ rule }) => rule === 'directive-vague');
  if (vague !== undefined)
    return err(
      usageError(
        'vague-goal',
        `plan: the goal "${safeLine(goal).slice(0, 120)}" does not say when it is reached; ${explain(vague).fix}`,
      ),
    );
  return ok({ ...made.value, read: read.value, text: read.value.text ?? '' });
}

/** Null when the plan is only printed. */
function pathOf(repo: RepositoryHandle, files: PlanFiles, context: Context, output: string | undefined): string | null {
  if (output === '-') return null;
  return output === undefined ? join(repo.checkout, usualFile) : files.resolve(context.cwd, output);
}
const usualFile = 'tidegate.plan.yaml';

async function savePlan(
  files: PlanFiles,
  { sketch, notes, read, text }: RuledPlan,
  path: string | null,
  { output, dryRun }: GoalOptions,
): Promise<Outcome> {
  const data = { text, notes, warnings: read.warnings.map(explain), hash: read.hash };
  if (path === null || dryRun) return done(text.trimEnd().split('\n'), data);
  const file = output ?? usualFile;
  const written = await files.write(path, text);
  if (written !== 'written') return notWritten(written, file);
  const lines: Text[] = [
    ...read.warnings.flatMap((finding) => findingLines(finding, 'warning')),
    ...sketch.waves.flatMap((tasks, at) => [
      [{ text: sketch.waveNames?.[at] ?? '', tone: 'dim' }] as const,
      ...tasks.map(({ id, do: brief, keys }) => `  ${id}  ${keys?.role}, ${sizeOf(brief, keys?.owns)}`),
      ...Object.keys(sketch.closures?.[at] ?? {}).map((role) => `  ${role}  closure role`),
    ]),
    ...notes.map((note) => `note: ${note}`),
    `Wrote ${file}. Review and edit it, then: tidegate run ${file}`,
  ];
  return done(lines, { ...data, file: path });
}

function sizeOf(brief: string, owns: readonly string[] | null | undefined): Tier | 'read-only' {
  if (isReadOnly({ owns })) return 'read-only';
  const goal = brief.split('\n\n')[1] ?? '';
  return estimate(goal, { files: owns?.length ?? 0, directories: 0 }, { files: 5, model: null }).complexity;
}

type DraftRequest = {
  readonly agent: string;
  readonly goal: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The plan that the rules make of the goal. */
  readonly ruled: string;
};

/** Runs one task that owns one file, and is done when lint finds no mistake in that file. */
async function draftByAgent(
  open: OpenRepository,
  context: Context,
  { agent, goal, file, ruled }: DraftRequest,
  { dryRun, yes, land }: GoalOptions,
): Promise<Outcome> {
  const task = {
    id: 'draft-plan',
    do: draftDirective({ goal, file, ruled }),
    keys: { role: 'design', owns: [file], deliverables: [file], drafts: file },
  } as const;
  const sketch = { name: 'plan-draft', agent, waves: [[task]], note: 'Made by tidegate plan --agent' };
  const outcome = await checkThenRun(open, context, sketch, { dryRun, yes, land, typed: true }, 'plan');
  if (outcome.reason !== 'landed') return outcome;
  const next = `Review and edit ${file}, then: tidegate run ${file}`;
  return { ...outcome, lines: [...(outcome.lines ?? []), next] };
}

function notWritten(why: 'exists' | 'no-folder', output: string): Outcome {
  return why === 'exists'
    ? usageError('exists', `plan: ${output} exists already; name another file with -o`)
    : usageError('no-folder', `plan: the folder of ${output} does not exist; create it, or name another file with -o`);
}
