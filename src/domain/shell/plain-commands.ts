import { type SimpleCommand, simpleCommands, type Word } from './shell-words.ts';

/** A command without its prefixes: assignments, `sudo`, `env`, `xargs`, `sh -c` … */
export type PlainCommand = {
  /** Its name without directories; '' when the text does not determine it. */
  readonly program: string;
  /** The word as written; undefined for a command of redirects or assignments only. */
  readonly name: Word | undefined;
  readonly args: readonly Word[];
  readonly redirects: SimpleCommand['redirects'];
  /** The directory that it starts in, by the `cd` commands before it; null when the text does not determine it. */
  readonly directory: string | null;
};

/** The deepest nesting of scripts that is read. */
const deepest = 4;

/** Returns the commands of a shell text. Directories start with `directory` and are not normalised. */
export function plainCommands(text: string, directory: string, level = 0): readonly PlainCommand[] {
  const commands: PlainCommand[] = [];
  let here: string | null = directory;
  for (const simple of simpleCommands(text)) {
    const { words, conditional } = withoutPrefix(simple.words);
    const [name, ...args] = words;
    const program = name?.plain ? (name.text.split('/').at(-1) ?? '') : '';
    commands.push({ program, name, args, redirects: simple.redirects, directory: here });
    if (level < deepest)
      commands.push(
        ...nested(program, args, here ?? directory, level + 1).map((one) => (here ? one : { ...one, directory: null })),
      );
    if (program === 'cd' || program === 'pushd' || program === 'popd')
      here = simple.depth === 0 && !conditional && program === 'cd' ? directoryAfter(here, args) : null;
  }
  return commands;
}

/** Returns the program that a command line certainly starts with; null for a shell built-in, a path, or an unknown program. */
export function firstProgram(text: string): string | null {
  const name = plainCommands(text, '.')[0]?.name;
  return name?.plain && !name.text.includes('/') && !shellBuiltins.has(name.text) ? name.text : null;
}

const shellBuiltins = new Set(
  '. : alias break cd eval exec exit export hash read set shift source trap type ulimit umask unset wait'.split(' '),
);

function directoryAfter(here: string | null, args: readonly Word[]): string | null {
  const [to, more] = args.filter(({ text }) => text !== '--');
  if (!to?.plain || more || to.text.startsWith('-') || to.text.startsWith('~')) return null;
  if (to.text.startsWith('/')) return to.text;
  return here === null ? null : `${here}/${to.text}`;
}

/** Returns the commands passed to a shell, `eval`, `find -exec` or a git alias. */
function nested(program: string, args: readonly Word[], here: string, level: number): readonly PlainCommand[] {
  if (shells.has(program)) {
    const flag = args.findIndex(({ text }) => /^-[a-z]*c$/i.test(text));
    const script = flag < 0 ? undefined : args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
    return script ? plainCommands(script.text, here, level) : [];
  }
  if (program === 'eval') return plainCommands(args.map(({ text }) => text).join(' '), here, level);
  if (program === 'find' || program === 'fd') {
    const exec = args.findIndex(({ text }) => findActions.has(text));
    return exec < 0 ? [] : plainCommands(quoted(args.slice(exec + 1)), here, level);
  }
  if (program !== 'git') return [];
  return args.flatMap(({ text }, index) => {
    const alias = args[index - 1]?.text === '-c' ? /^alias\.[^=]*=(.*)$/s.exec(text)?.[1] : undefined;
    if (alias === undefined) return [];
    return plainCommands(alias.startsWith('!') ? alias.slice(1) : `git ${alias}`, here, level);
  });
}

const quoted = (words: readonly Word[]): string =>
  words.map(({ text }) => `'${text.replaceAll("'", "'\\''")}'`).join(' ');

/** Removes assignments, keywords of the shell and programs that start another one. */
function withoutPrefix(words: readonly Word[]): { readonly words: readonly Word[]; readonly conditional: boolean } {
  let at = 0;
  let conditional = false;
  for (let steps = 0; steps < 64 && at < words.length; steps++) {
    const { text, plain } = words[at] ?? { text: '', plain: false };
    const leader = plain ? leaders[text.split('/').at(-1) ?? ''] : undefined;
    if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text)) at++;
    else if (plain && grammar.has(text)) {
      conditional = true;
      at++;
    } else if (leader !== undefined) {
      at = afterOptions(words, at + 1, leader.takes) + leader.operands;
      if (text.endsWith('env')) while (/^[A-Za-z_][A-Za-z0-9_]*=/.test(words[at]?.text ?? '')) at++;
    } else break;
  }
  return { words: words.slice(at), conditional };
}

function afterOptions(words: readonly Word[], from: number, takes: string): number {
  let at = from;
  while (words[at]?.text.startsWith('-') && words[at]?.text !== '-') {
    const text = words[at]?.text ?? '';
    at++;
    if (text === '--') break;
    if (text.length === 2 && takes.includes(text.slice(1))) at++;
  }
  return at;
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
const findActions = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X']);
const grammar = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  '!',
  '{',
  '}',
  'function',
  'coproc',
]);

/** Programs that start the command after them. `takes`: short options with a value. `operands`: words before the command. */
const leaders: Readonly<Record<string, { readonly takes: string; readonly operands: number } | undefined>> =
  Object.assign(Object.create(null), {
    sudo: { takes: 'ugpChDRrtT', operands: 0 },
    doas: { takes: 'uC', operands: 0 },
    env: { takes: 'uCS', operands: 0 },
    time: { takes: 'of', operands: 0 },
    nice: { takes: 'n', operands: 0 },
    ionice: { takes: 'cn', operands: 0 },
    nohup: { takes: '', operands: 0 },
    setsid: { takes: '', operands: 0 },
    stdbuf: { takes: 'ioe', operands: 0 },
    timeout: { takes: 'ks', operands: 1 },
    xargs: { takes: 'IiLnPsdEa', operands: 0 },
    command: { takes: '', operands: 0 },
    builtin: { takes: '', operands: 0 },
    exec: { takes: 'a', operands: 0 },
    busybox: { takes: '', operands: 0 },
  });
