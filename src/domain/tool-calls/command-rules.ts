import { below, resolvePath } from '../base/paths.ts';
import type { DenialRules } from '../findings/attempt-rules.ts';
import type { FindingsOf } from '../findings/finding.ts';
import type { PlainCommand } from '../shell/plain-commands.ts';
import type { Word } from '../shell/shell-words.ts';

export type CommandLimits = {
  /** Words in this order, anywhere in a command. */
  readonly forbid: readonly WordRule[];
  /** A program, and words that follow it in this order. */
  readonly block: readonly WordRule[];
  readonly workspace: string;
  readonly home: string | null;
};

type Refusal = FindingsOf<
  Pick<DenialRules, 'git-command' | 'no-verify' | 'removes-workspace' | 'blocked-command' | 'forbidden'>
>;
type WordRule = { readonly text: string; readonly words: readonly string[] };

/** Leaves out texts without a word. */
export const wordRules = (texts: readonly string[]): readonly WordRule[] =>
  texts.map((text) => ({ text, words: wordsIn([text]) })).filter(({ words }) => words.length > 0);

/** Returns why an agent may not run a command; null when it may. */
export function commandRefusal(command: PlainCommand, limits: CommandLimits): Refusal | null {
  return (
    gitRefusal(command) ??
    removesEverything(command, limits) ??
    blocked(command, limits.block) ??
    forbidden(command, limits.forbid)
  );
}

function gitRefusal({ program, args }: PlainCommand): Refusal | null {
  if (program !== 'git') return null;
  const at = subcommandAt(args);
  const name = args[at]?.text ?? '';
  const rest = args.slice(at + 1);
  const says = (...flags: readonly string[]) => rest.some(({ text }) => flags.includes(text));
  if (integrating.has(name) || (name === 'reset' && says('--hard')))
    return { rule: 'git-command', command: name === 'reset' ? 'reset --hard' : name };
  const skipsHooks =
    says('--no-verify') ||
    (name === 'commit' && rest.some(({ text }) => /^-[a-z]*n/.test(text))) ||
    args.slice(0, at).some(({ text }) => /^core\.hookspath=/i.test(text));
  return skipsHooks ? { rule: 'no-verify' } : null;
}
const integrating = new Set(['push', 'merge', 'rebase', 'stash', 'worktree', 'update-ref']);

/** Returns the place of git's subcommand, after git's own options, some of which take a word. */
function subcommandAt(args: readonly Word[]): number {
  let at = 0;
  while (args[at]?.text.startsWith('-')) at += takingWord.has(args[at]?.text ?? '') ? 2 : 1;
  return at;
}
const takingWord = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
  '--super-prefix',
  '--attr-source',
]);

function removesEverything(
  { program, args, directory }: PlainCommand,
  { workspace, home }: CommandLimits,
): Refusal | null {
  if (program !== 'rm' || !args.some(({ text }) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(text))) return null;
  const everything = args.find(({ text, plain }) => {
    if (text.startsWith('-')) return false;
    const path = text.replace(/\/?\*$/, (star) => (star === '/*' ? '/' : ''));
    if (!plain && path === text) return false;
    if (path === '~' || path === '~/') return home !== null;
    if (path === '' || !path.startsWith('/'))
      return directory !== null && below(resolvePath('/', `${directory}/${path}`), workspace) !== null;
    return below(resolvePath('/', path), workspace) !== null;
  });
  return everything ? { rule: 'removes-workspace', target: everything.text } : null;
}

function blocked(command: PlainCommand, rules: readonly WordRule[]): Refusal | null {
  const [program] = wordsIn([command.program]);
  const candidates = rules.filter(({ words }) => words[0] === program);
  return listed(command, candidates, 'blocked-command');
}

const forbidden = (command: PlainCommand, rules: readonly WordRule[]): Refusal | null =>
  listed(command, rules, 'forbidden');

function listed({ program, args }: PlainCommand, rules: readonly WordRule[], rule: Listed): Refusal | null {
  if (rules.length === 0) return null;
  const commandWords = wordsIn([program, ...args.map(({ text }) => text)]);
  const found = rules.find(({ words }) => inOrder(words, commandWords));
  return found ? { rule, pattern: found.text } : null;
}

type Listed = 'blocked-command' | 'forbidden';

/** Returns words as rules compare them: in lower case, without quotes and punctuation around them. */
const wordsIn = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? []);

function inOrder(pattern: readonly string[], words: readonly string[]): boolean {
  let matched = 0;
  for (const word of words) if (word === pattern[matched]) matched++;
  return matched >= pattern.length;
}
