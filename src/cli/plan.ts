import type { Desk } from '../ports/desk.ts';
import { type Context, done, misused, type Outcome, type Register } from './command.ts';
import { atDesk, failed, type OpenDesk } from './desk.ts';
import { runNamed } from './subject.ts';

export type PlanFiles = {
  /** The plan that was kept with a run; null when there is none. */
  read(path: string): Promise<string | null>;
  /** False: there is something already, and it was left alone. */
  write(path: string, text: string): Promise<boolean>;
  /** As the person wrote it, from where they are. */
  resolve(cwd: string, path: string): string;
};

type PlanOptions = { readonly fromGo?: string; readonly output?: string };

/** `tidegate plan --from-go <run>`: the plan that was made of what was typed, as a file to keep. */
export const plan =
  (open: OpenDesk, files: PlanFiles): Register =>
  (command, does, context) => {
    command
      .option('--from-go <run>', 'the run that tidegate go began, or the beginning of its name')
      .option('-o, --output <file>', 'where to; without it, and with -, it is printed')
      .action(
        does(({ fromGo, output }: PlanOptions) =>
          fromGo === undefined
            ? misused('usage', 'plan: which plan? tidegate plan --from-go <run> [-o tidegate.plan.yaml]')
            : atDesk(open, context, 'look', (desk) => keepPlan(desk, files, context, { run: fromGo, output })),
        ),
      );
  };

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
  if (!(await files.write(path, text)))
    return misused('exists', `plan: ${output} is there already and was left alone; name another with -o`);
  return done([`Wrote ${output}. Run it again: tidegate run ${output}`], { run: state.run, file: path });
}
