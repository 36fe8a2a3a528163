import { type PlanSketch, sketchOf } from '../domain/plan-text.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type Context, misused, type Outcome } from './command.ts';
import type { Program } from './definition.ts';
import { checkedThenRun, type RunOptions } from './run.ts';

type GoInput = Pick<RunOptions, 'dryRun' | 'detach' | 'yes' | 'land' | 'focus' | 'withUncommitted'> & {
  readonly task: readonly string[];
  readonly agent: string | undefined;
};

/** `tidegate go "A" "B" --then "C"`: a run without a plan file. Typed at a terminal, it is its own start approval. */
export async function runTyped(
  { task, agent, ...options }: GoInput,
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  const sketch = sketched(task, agent ?? null);
  if (!sketch.ok) return misused('usage', `go: ${sketch.error}`);
  return await checkedThenRun(ports.openDesk, context, sketch.value, options, { command: 'go', typed: true });
}

/** Pure: words as they were typed, `--then` among them. */
export function sketched(words: readonly string[], agent: string | null): Result<PlanSketch, string> {
  const waves: string[][] = [[]];
  for (const word of words) {
    if (word === '--then') waves.push([]);
    else if (word.startsWith('--then=')) waves.push([word.slice('--then='.length)]);
    else if (/^--?[A-Za-z][\w-]*(=.*)?$/.test(word)) return err(`unknown option ${word}; see tidegate go --help`);
    else waves.at(-1)?.push(word);
  }
  const texts = waves.flat();
  const file = texts.find((text) => /^\S+\.(md|ya?ml)$/i.test(text.trim()));
  if (texts.some((text) => text.trim() === '')) return err('a task is empty; say what to do');
  if (waves[0]?.length === 0) return err('there is no task before --then; say what to do first');
  if (waves.some((wave) => wave.length === 0)) return err('--then needs a task after it');
  if (file !== undefined) return err(`${file} is a file, not a task; to run it: tidegate run ${file}`);
  return ok(sketchOf(waves, agent));
}
