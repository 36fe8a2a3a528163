import type { RunId } from '../../domain/base/ids.ts';
import { commitSubject, generatedSubject } from '../../domain/plan/commit-subject.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';

type Trailers = {
  readonly run: RunId;
  readonly task: string;
  readonly proof: string;
  /** Trailers of people who took the work by hand, as whole lines. */
  readonly taken?: readonly string[];
};

/** One line that says what the task was about, as the plan's `commit` words it, then who vouches for it. */
export function commitMessage(plan: FrozenPlan, task: PlannedTask, trailers: Trailers): string {
  return `${commitSubject(plan, trailers.run, task)}\n\n${trailerLines(trailers)}`;
}

function trailerLines({ run, task, proof, taken = [] }: Trailers): string {
  const lines = [`Tidegate-Run: ${run}`, `Tidegate-Task: ${task}`, ...taken, `Tidegate-Proof: ${proof}`];
  return `${lines.join('\n')}\n`;
}

/** The same message with one trailer more, at the end of those that it has. */
export const withTrailer = (message: string, line: string): string => `${message.trimEnd()}\n${line}\n`;

/** Of the commit that holds what no task wrote; `proof` is the record of the commands that did. */
export const generatedMessage = (
  plan: FrozenPlan,
  wave: number,
  { run, proof }: Pick<Trailers, 'run' | 'proof'>,
): string => `${generatedSubject(plan, run, wave)}\n\nTidegate-Run: ${run}\nTidegate-Proof: ${proof}\n`;

export function readTrailer(message: string, name: string): string | undefined {
  const paragraph = message.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph
    .split('\n')
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}
