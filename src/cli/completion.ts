import { type CommandEntry, done, misused, type Register } from './command.ts';

type Words = { readonly name: string; readonly summary: string; readonly options: readonly string[] };

const globals = ['-C', '--state-dir', '--json', '--no-color', '--help'];
const scripts: Record<string, (words: readonly Words[]) => string> = { bash, zsh, fish };

/** `tidegate completion <shell>`: a script made from the commands that exist. */
export const completion =
  (entries: readonly CommandEntry[]): Register =>
  (command, does) => {
    command.argument('<shell>', 'bash, zsh or fish').action(
      does((shell: string) => {
        const script = scripts[shell];
        if (script === undefined)
          return misused('unknown-shell', `completion: no script for ${shell}; use bash, zsh or fish`);
        const text = script(entries.map(wordsOf));
        return done([text], { shell, script: text });
      }),
    );
  };

/** Options are read from the usage line: shells ask for this at every start, and loading all commands takes longer. */
function wordsOf({ name, summary, usage }: CommandEntry): Words {
  return { name, summary, options: [...(usage.match(/--[a-z][a-z-]*/g) ?? []), ...globals] };
}

function bash(words: readonly Words[]): string {
  const cases = words.map(({ name, options }) => `    ${name}) words="${options.join(' ')}" ;;`);
  return `# eval "$(tidegate completion bash)"
_tidegate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${words.map(({ name }) => name).join(' ')} ${globals.join(' ')} --version" ;;
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tidegate tidegate`;
}

function zsh(words: readonly Words[]): string {
  const names = words.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = words.map(({ name, options }) => `    ${name}) compadd -- ${options.join(' ')}; _files ;;`);
  return `#compdef tidegate
# eval "$(tidegate completion zsh)"
_tidegate() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _tidegate tidegate`;
}

function fish(words: readonly Words[]): string {
  const lines = words.flatMap(({ name, summary, options }) => [
    `complete -c tidegate -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
    ...options
      .filter((option) => option.startsWith('--'))
      .map((option) => `complete -c tidegate -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
  ]);
  return ['# tidegate completion fish | source', ...lines].join('\n');
}

/** Inside single quotes of all three shells. */
const quoted = (text: string): string => text.replaceAll("'", '’').replaceAll(':', '\\:');
