import { agentKinds, defaultAgents, takesCommand } from '../../../agents/agents.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { type PlanSketch, sketchOf, type TypedTask } from '../../../domain/plan/plan-text.ts';
import { command, usageError } from '../../frame/command.ts';
import { checkThenRun } from './run.ts';

export const goCommand = command({
  name: 'go',
  group: 'run',
  summary: 'run tasks that you type, without a plan file',
  arguments: {
    task: {
      about: 'one text per task; tasks before the first --then run side by side',
      required: true,
      variadic: true,
    },
  },
  options: {
    next: {
      flag: 'then',
      value: 'task...',
      repeatable: true,
      inline: true,
      about: 'start the next wave: tasks that begin when all earlier ones are merged',
    },
    owns: {
      value: 'pattern',
      repeatable: true,
      inline: true,
      about: 'the only paths that the task before it may change (default: all that no other task owns)',
    },
    agent: {
      value: 'name',
      choices: Object.keys(agentKinds).filter((name) => !takesCommand(name)),
      about: `the agent (default: the first of ${defaultAgents.join(', ')} that is logged in)`,
    },
    model: { value: 'name', about: 'the model for every task, by the name that the agent uses' },
    dryRun: { about: 'run every check and show what would run, without starting or storing anything' },
    withUncommitted: {
      about:
        'let agents see your uncommitted changes, which never land themselves; commit them before the work built on them lands',
    },
    detach: { short: 'd', about: 'continue in the background' },
    yes: { about: 'approve the start where there is no terminal, and nothing else' },
    land: { about: 'approve the landing' },
    focus: { value: 'text', about: 'tell every agent of this run what to pay attention to' },
  },
  help: `Running this command in a terminal also approves the start.

Examples:
  tidegate go "Rate-limit POST /login to 5 per minute" "Fix the typo in docs/api.md"
  tidegate go "Add a --json flag to list" --then "Document it in README.md" --agent codex
  tidegate go "Split the parser" --owns 'src/parse/**' --owns 'test/parse/**' "Fix the typo" --owns README.md --model opus

Save the plan as a file: tidegate plan --from-go <run> -o tidegate.plan.yaml`,
  run: async ({ task, agent, model, ...options }, context, { ports }) => {
    const sketch = sketchWords(task, agent ?? null, model ?? null);
    if (!sketch.ok) return usageError('usage', `go: ${sketch.error}`);
    return await checkThenRun(ports.openRepository, context, sketch.value, { ...options, typed: true }, 'go');
  },
});

/** Makes a plan of the words as they were typed, with `--then` and `--owns` among them. */
export function sketchWords(
  words: readonly string[],
  agent: string | null,
  model: string | null = null,
): Result<PlanSketch, string> {
  const read = readWords(words);
  if (!read.ok) return read;
  const { waves, early } = read.value;
  const texts = waves.flat().map(({ text }) => text);
  const file = texts.find((text) => /^\S+\.(md|ya?ml)$/i.test(text.trim()));
  if (texts.some((text) => text.trim() === '')) return err('a task is empty; write what to do');
  if (waves[0]?.length === 0) return err('there is no task before --then; write what to do first');
  if (waves.some((wave) => wave.length === 0)) return err('--then needs a task after it');
  if (file !== undefined) return err(`${file} is a file, not a task; to run it: tidegate run ${file}`);
  if (model?.trim() === '') return err('--model is empty; name a model');
  if (early.length > 0 && texts.length > 1) return err('put --owns after the task that it belongs to');
  const [only] = waves.flat();
  only?.owns.push(...early);
  return ok(sketchOf(waves, agent, model));
}

type TaskDraft = Omit<TypedTask, 'owns'> & { readonly owns: string[] };

/** `early` holds the patterns that come before any task of their wave. */
function readWords(
  words: readonly string[],
): Result<{ readonly waves: TaskDraft[][]; readonly early: string[] }, string> {
  const waves: TaskDraft[][] = [[]];
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
    // without quotes, a shell expands a pattern into several words
    else if (afterPattern && !/\s/.test(word.trim()) && word.trim() !== '')
      return err(`is ${word} another path? Put the pattern in quotes: --owns 'src/**'`);
    else waves.at(-1)?.push({ text: word, owns: [] });
    afterPattern = pattern !== undefined;
  }
  return ok({ waves, early });
}
