import { templateNames } from '../domain/planner/templates.ts';
import type { Desk } from '../ports/desk.ts';
import { type Context, done, misused, type Outcome, type Register } from './command.ts';
import { atDesk, failed, type OpenDesk } from './desk.ts';
import { type GoalOptions, planGoal } from './plan-goal.ts';
import { runNamed } from './subject.ts';

export type PlanFiles = {
  /** The plan that was kept with a run; null when there is none. */
  read(path: string): Promise<string | null>;
  /** What is there already is left alone. */
  write(path: string, text: string): Promise<'written' | 'exists' | 'no-folder'>;
  isThere(path: string): Promise<boolean>;
  /** As the person wrote it, from where they are. */
  resolve(cwd: string, path: string): string;
};

type PlanOptions = GoalOptions & { readonly fromGo?: string };

/** `tidegate plan "<goal>"`, and `tidegate plan --from-go <run>`: the plan that was made of what was typed, as a file to keep. */
export const plan =
  (open: OpenDesk, files: PlanFiles): Register =>
  (command, does, context) => {
    command
      .argument('[goal...]', 'what is to be reached; it is divided into waves of tasks by fixed rules')
      .option('--template <name>', `the kind of work: ${templateNames.join(', ')}; without it implementation`)
      .option('--agent <name>', 'lets this agent draft the plan instead, in a run of one task')
      .option('--from-go <run>', 'the run that tidegate go began, or the beginning of its name')
      .option(
        '-o, --output <file>',
        'where to, - to print it; without it a goal goes to tidegate.plan.yaml, and --from-go is printed',
      )
      .option('--dry-run', 'only shows what would be written, or with --agent what would be run')
      .option('--yes', 'with --agent: answer the start approval with yes where there is no terminal, and nothing else')
      .option('--land', 'with --agent: answer the landing with yes')
      .addHelpText('after', planHelp)
      .action(
        does((words: readonly string[], { fromGo, ...options }: PlanOptions) => {
          if (fromGo === undefined)
            return words.length === 0
              ? misused('usage', 'plan: which plan? tidegate plan "<goal>", or tidegate plan --from-go <run>')
              : planGoal(open, files, context, words.join(' '), options);
          const { output } = options;
          return words.length > 0 || Object.keys(options).some((name) => name !== 'output')
            ? misused('usage', 'plan: --from-go keeps a plan that is there; it goes with -o only')
            : atDesk(open, context, 'look', (desk) => keepPlan(desk, files, context, { run: fromGo, output }));
        }),
      );
  };

const planHelp = `
Examples:
  tidegate plan "Rate-limit POST /login to 5/min in src/login.ts, then document it in docs/api.md"
  tidegate plan "Cut version 2.1" --template release -o release.plan.yaml
  tidegate plan "Move the build to esbuild" --agent claude

The same goal always gives the same plan. An agent's draft is a change like any other: it is fenced to that one file, and lands when
you say so; as a plan it is read and approved when you run it.`;

async function keepPlan(
  desk: Desk,
  files: PlanFiles,
  context: Context,
  { run, output }: { readonly run: string; readonly output: string | undefined },
): Promise<Outcome> {
  const found = await runNamed(desk, 'plan', run);
  if (!found.ok) return found.error;
  const { state } = found.value;
  const isTyped = Object.values(state.plan.waves).every((wave) =>
    wave.tasks.every((task) => task.directive.file === null),
  );
  if (state.planFile !== desk.state.writtenPlan(state.run) || !isTyped)
    return misused('not-go', `plan: ${state.run} was not begun by tidegate go; its plan is ${state.planFile}`);
  const text = await files.read(state.planFile);
  if (text === null)
    return failed('plan-gone', `plan: ${state.planFile} is gone; tidegate show ${state.run} has what it said`);
  if (output === undefined || output === '-') return done(text.trimEnd().split('\n'), { run: state.run, text });
  const path = files.resolve(context.cwd, output);
  const wrote = await files.write(path, text);
  if (wrote !== 'written') return notWritten(wrote, output);
  return done([`Wrote ${output}. Run it again: tidegate run ${output}`], { run: state.run, file: path });
}

export function notWritten(why: 'exists' | 'no-folder', output: string): Outcome {
  return why === 'exists'
    ? misused('exists', `plan: ${output} is there already and was left alone; name another with -o`)
    : misused('no-folder', `plan: there is no folder for ${output}; make it, or name another file with -o`);
}
