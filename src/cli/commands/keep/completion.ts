import { plannedStates } from '../../../domain/run/run.ts';
import { knownRuns } from '../../../engine/orders/find-run.ts';
import { type Command, type Context, command, done, type Outcome, usageError } from '../../frame/command.ts';
import { longFlag } from '../../frame/help.ts';
import type { Ports } from '../../frame/ports.ts';
import { allCommands } from '../../frame/program.ts';
import { withRepository } from '../../frame/subject.ts';

export const completionCommand = command({
  name: 'completion',
  group: 'keep',
  summary: 'print a completion script for your shell',
  arguments: { shell: { about: 'bash, zsh or fish', required: true, shown: 'bash|zsh|fish' } },
  help: 'The script calls `tidegate completion names` to complete runs and tasks.',
  run: async ({ shell }, context, { ports, commands }) => {
    if (shell === 'names') return await printNames(context, ports);
    const write = scripts[shell];
    if (write === undefined)
      return usageError('unknown-shell', `completion: there is no script for ${shell}; use bash, zsh or fish`);
    const shown = (await allCommands(commands)).filter(({ hidden }) => hidden !== true);
    const text = write(shown.map(wordsOf));
    return done(text.split('\n'), { shell, script: text });
  },
});

/** The words that a shell completes for one command. */
type Words = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
  /** Options with a known set of values, as they are typed. */
  readonly values: readonly (readonly [string, readonly string[]])[];
  /** Words that its arguments take. */
  readonly choices: readonly string[];
  /** Takes a run or a task as an argument. */
  readonly takesRun: boolean;
};

const globals = ['-C', '--state-dir', '--json', '--no-color', '--help'];
const scripts: Record<string, (words: readonly Words[]) => string> = { bash, zsh, fish };

function wordsOf({ name, summary, arguments: args, options }: Command): Words {
  return {
    name,
    summary,
    options: [...Object.entries(options).map(([key, option]) => longFlag(key, option)), ...globals],
    values: Object.entries(options).flatMap(([key, option]) =>
      option.choices === undefined ? [] : [[longFlag(key, option), option.choices] as const],
    ),
    choices: Object.values(args).flatMap((argument) => argument.choices ?? []),
    takesRun: Object.values(args).some(({ completes }) => completes === 'runs'),
  };
}

const withRuns = (words: readonly Words[]): readonly string[] =>
  words.filter(({ takesRun }) => takesRun).map(({ name }) => name);

function bash(words: readonly Words[]): string {
  const cases = words.map(
    ({ name, options, choices }) => `    ${name}) words="${[...choices, ...options].join(' ')}" ;;`,
  );
  const values = valuesOf(words, (name, flag, choices) => `    "${name} ${flag}") words="${choices.join(' ')}" ;;`);
  return `# eval "$(tidegate completion bash)"
_tidegate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" words="" i
  local -a place=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -C|--state-dir) place+=("\${COMP_WORDS[i]}" "\${COMP_WORDS[i + 1]}"); i=$((i + 1)) ;;
      -*) ;;
      *) [ -n "$command" ] || command="\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command" in
    "") words="${words.map(({ name }) => name).join(' ')} ${globals.join(' ')} --version" ;;
${cases.join('\n')}
    *) words="" ;;
  esac
  case "$command" in
    ${withRuns(words).join('|')}) words="$words $(tidegate "\${place[@]}" completion names 2>/dev/null)" ;;
  esac
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tidegate tidegate`;
}

function zsh(words: readonly Words[]): string {
  const described = words.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = words.map(
    ({ name, options, choices }) => `    ${name}) compadd -- ${[...choices, ...options].join(' ')}; _files ;;`,
  );
  const values = valuesOf(
    words,
    (name, flag, choices) => `    '${name} ${flag}') compadd -- ${choices.join(' ')}; return ;;`,
  );
  return `#compdef tidegate
# eval "$(tidegate completion zsh)"
_tidegate() {
  local -a commands place names
  local subject="" i
  commands=(
${described.join('\n')}
  )
  for (( i = 2; i < CURRENT; i++ )); do
    case "$words[i]" in
      -C|--state-dir) place+=("$words[i]" "$words[i+1]"); (( i++ )) ;;
      -*) ;;
      *) [[ -n "$subject" ]] || subject="$words[i]" ;;
    esac
  done
  if [[ -z "$subject" ]]; then
    _describe command commands
    return
  fi
  case "$subject $words[CURRENT-1]" in
${values.join('\n')}
  esac
  case "$subject" in
    ${withRuns(words).join('|')})
      names=(\${(f)"$(tidegate $place completion names 2>/dev/null)"})
      compadd -- $names ;;
  esac
  case "$subject" in
${cases.join('\n')}
  esac
}
compdef _tidegate tidegate`;
}

function fish(words: readonly Words[]): string {
  const lines = words.flatMap(({ name, summary, options, values, choices }) => [
    `complete -c tidegate -n "__tidegate_is ''" -a ${name} -d '${quoted(summary)}'`,
    ...options
      .filter((option) => option.startsWith('--'))
      .map((option) => {
        const known = values.find(([flag]) => flag === option)?.[1];
        const offered = known === undefined ? '' : ` -x -a '${known.join(' ')}'`;
        return `complete -c tidegate -n '__tidegate_is ${name}' -l ${option.slice(2)}${offered}`;
      }),
    ...(choices.length === 0 ? [] : [`complete -c tidegate -n '__tidegate_is ${name}' -a '${choices.join(' ')}'`]),
  ]);
  return `# tidegate completion fish | source
function __tidegate_is
    set -l found ''
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word -C --state-dir
            set skip 1
        else if not string match -q -- '-*' $word
            set found $word
            break
        end
    end
    contains -- "$found" $argv
end
function __tidegate_names
    set -l words (commandline -opc)
    set -l place
    for i in (seq (count $words))
        if contains -- $words[$i] -C --state-dir
            set -a place $words[$i] $words[(math $i + 1)]
        end
    end
    tidegate $place completion names 2>/dev/null
end
${lines.join('\n')}
complete -c tidegate -n '__tidegate_is ${withRuns(words).join(' ')}' -f -a '(__tidegate_names)'`;
}

const valuesOf = (
  words: readonly Words[],
  line: (name: string, flag: string, choices: readonly string[]) => string,
): readonly string[] => words.flatMap(({ name, values }) => values.map(([flag, choices]) => line(name, flag, choices)));

/** Inside single quotes of all three shells. */
const quoted = (text: string): string => text.replaceAll("'", '’').replaceAll(':', '\\:');

/** The newest runs; older ones are not completed. */
const mostRuns = 20;

/** Prints the names of runs and tasks, for the completion scripts. */
const printNames = (context: Context, { openRepository }: Ports): Promise<Outcome> =>
  withRepository(openRepository, context, 'look', async (repo) => {
    const runs = (await knownRuns(repo.ledger)).toReversed().slice(0, mostRuns);
    const all = runs.flatMap(({ run, state }) => [
      run,
      ...(state === null ? [] : plannedStates(state).map(({ id }) => `${run}/${id}`)),
    ]);
    return done(all, { names: all });
  });
