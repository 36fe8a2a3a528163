import { err, ok, type Result } from '../../domain/base/result.ts';
import { type PlanSketch, sketchOf, type TypedTask } from '../../domain/plan/plan-text.ts';
import { type Context, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { checkedThenRun, type RunOptions } from './run.ts';

type GoInput = Pick<RunOptions, 'dryRun' | 'detach' | 'yes' | 'land' | 'focus' | 'withUncommitted'> & {
  readonly task: readonly string[];
  readonly agent: string | undefined;
  readonly model: string | undefined;
};

/** `tidegate go "A" "B" --then "C"`: a run without a plan file. Typed at a terminal, it is its own start approval. */
export async function runTyped(
  { task, agent, model, ...options }: GoInput,
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  const sketch = sketched(task, agent ?? null, model ?? null);
  if (!sketch.ok) return misused('usage', `go: ${sketch.error}`);
  return await checkedThenRun(ports.openRepository, context, sketch.value, options, { command: 'go', typed: true });
}

/** Pure: words as they were typed, `--then` and `--owns` among them. */
export function sketched(
  words: readonly string[],
  agent: string | null,
  model: string | null = null,
): Result<PlanSketch, string> {
  const read = readWords(words);
  if (!read.ok) return read;
  const { waves, early } = read.value;
  const texts = waves.flat().map(({ text }) => text);
  const file = texts.find((text) => /^\S+\.(md|ya?ml)$/i.test(text.trim()));
  if (texts.some((text) => text.trim() === '')) return err('a task is empty; say what to do');
  if (waves[0]?.length === 0) return err('there is no task before --then; say what to do first');
  if (waves.some((wave) => wave.length === 0)) return err('--then needs a task after it');
  if (file !== undefined) return err(`${file} is a file, not a task; to run it: tidegate run ${file}`);
  if (model?.trim() === '') return err('--model is empty; name a model');
  if (early.length > 0 && texts.length > 1) return err('--owns goes after the task that it is for');
  const [only] = waves.flat();
  only?.owns.push(...early);
  return ok(sketchOf(waves, agent, model));
}

type Typing = Omit<TypedTask, 'owns'> & { readonly owns: string[] };

/** `early`: what stands before any task of its wave. */
function readWords(words: readonly string[]): Result<{ readonly waves: Typing[][]; readonly early: string[] }, string> {
  const waves: Typing[][] = [[]];
  const early: string[] = [];
  const left = words.values();
  let afterPattern = false;
  for (const word of left) {
    const pattern = word === '--owns' ? left.next().value : /^--owns=([\s\S]*)$/.exec(word)?.[1];
    const isLacking = word === '--owns' && (pattern === undefined || pattern.startsWith('--'));
    if (isLacking || pattern?.trim() === '') return err('--owns needs a pattern after it');
    if (pattern !== undefined) (waves.at(-1)?.at(-1)?.owns ?? early).push(pattern);
    else if (word === '--then') waves.push([]);
    else if (word.startsWith('--then=')) waves.push([{ text: word.slice('--then='.length), owns: [] }]);
    else if (/^--?[A-Za-z][\w-]*(=.*)?$/.test(word)) return err(`unknown option ${word}; see tidegate go --help`);
    // a shell makes several words of a pattern without quotes
    else if (afterPattern && !/\s/.test(word.trim()) && word.trim() !== '')
      return err(`is ${word} another path? Put the pattern in quotes: --owns 'src/**'`);
    else waves.at(-1)?.push({ text: word, owns: [] });
    afterPattern = pattern !== undefined;
  }
  return ok({ waves, early });
}
