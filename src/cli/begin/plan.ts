import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { PlanFiles } from '../frame/ports.ts';
import { runNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { type GoalOptions, notWritten, planGoal } from './plan-goal.ts';

type PlanInput = GoalOptions & { readonly goal: readonly string[]; readonly fromGo: string | undefined };

/** `tidegate plan "<goal>"`, and `tidegate plan --from-go <run>`: the plan that was made of what was typed, as a file to keep. */
export async function writePlan(
  { goal, fromGo, ...options }: PlanInput,
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  const files = await ports.planFiles();
  if (fromGo === undefined)
    return goal.length === 0
      ? misused('usage', 'plan: which plan? tidegate plan "<goal>", or tidegate plan --from-go <run>')
      : await planGoal(ports.openRepository, files, context, goal.join(' '), options);
  const { output, ...others } = options;
  return goal.length > 0 || Object.values(others).some((value) => value !== undefined && value !== false)
    ? misused('usage', 'plan: --from-go keeps a plan that is there; it goes with -o only')
    : await withRepository(ports.openRepository, context, 'look', (repo) =>
        keepPlan(repo, files, context, { run: fromGo, output }),
      );
}

async function keepPlan(
  repo: RepositoryHandle,
  files: PlanFiles,
  context: Context,
  { run, output }: { readonly run: string; readonly output: string | undefined },
): Promise<Outcome> {
  const found = await runNamed(repo, 'plan', run);
  if (!found.ok) return found.error;
  const { state } = found.value;
  const isTyped = Object.values(state.plan.waves).every((wave) =>
    wave.tasks.every((task) => task.directive.file === null),
  );
  if (state.planFile !== repo.state.writtenPlan(state.run) || !isTyped)
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
