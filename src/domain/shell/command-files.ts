import { resolvePath } from '../base/paths.ts';
import { type PlainCommand, plainCommands } from './plain-commands.ts';
import type { Word } from './shell-words.ts';

/**
 * Returns the absolute paths that a command writes, as far as its text determines them. Each is a list of candidates: `cp a b` writes `b`
 * or, if that is a directory, `b/a`. Removed paths are left out: agents remove their own files and build output.
 */
export function writtenBy(command: PlainCommand, home: string | null): readonly (readonly string[])[] {
  const place = ({ text, plain }: Word): string | null => {
    if (!plain || text === '' || text === '-') return null;
    if (text.startsWith('/')) return resolvePath('/', text);
    if (text.startsWith('~')) return home !== null && text.startsWith('~/') ? resolvePath(home, text.slice(2)) : null;
    return command.directory === null ? null : resolvePath('/', `${command.directory}/${text}`);
  };
  const redirects = command.redirects
    .filter(({ operator, target }) => operator.includes('>') && !(operator === '>&' && /^(\d+|-)$/.test(target.text)))
    .map(({ target }) => [target]);
  return [...redirects, ...operandsWritten(command)].flatMap((choices) => {
    const places = choices.map(place);
    return places.includes(null) || places.length === 0 ? [] : [places.filter((one) => one !== null)];
  });
}

function operandsWritten({ program, args }: PlainCommand): readonly (readonly Word[])[] {
  const operands = args.filter(({ text }) => !/^-./.test(text));
  switch (program) {
    case 'tee':
    case 'touch':
      return operands.map((one) => [one]);
    case 'truncate':
      return operands.slice(-1).map((one) => [one]);
    case 'cp':
    case 'mv':
    case 'install':
    case 'ln':
      return copyTargets(args, operands);
    case 'sed':
      return sedTargets(args);
    case 'dd':
      return args
        .filter(({ text }) => text.startsWith('of='))
        .map(({ text, plain }) => [{ text: text.slice(3), plain }]);
    default:
      return [];
  }
}

function copyTargets(args: readonly Word[], operands: readonly Word[]): readonly (readonly Word[])[] {
  const to = operands.at(-1);
  // With `-t` the directory comes first, and values of options would count as operands.
  if (
    !to ||
    operands.length < 2 ||
    args.some(({ text }) => /^-[a-zA-Z]*[tSgmo]|^--(target|suffix|mode|owner|group)/.test(text))
  )
    return [];
  return operands.slice(0, -1).map((from) => {
    const name = from.text.replace(/\/+$/, '').split('/').at(-1) ?? '';
    return [to, { text: `${to.text}/${name}`, plain: to.plain && from.plain }];
  });
}

function sedTargets(args: readonly Word[]): readonly (readonly Word[])[] {
  if (!args.some(({ text }) => /^-[nErsuz]*i|^--in-place/.test(text))) return [];
  const hasScript = args.some(({ text }) => /^-[nErsuz]*[ef]$|^--(expression|file)/.test(text));
  const operands = args.filter(
    ({ text }, index) => text !== '' && !text.startsWith('-') && !/^-[nErsuz]*[ef]$/.test(args[index - 1]?.text ?? ''),
  );
  return operands.slice(hasScript ? 0 : 1).map((one) => [one]);
}

/** Returns the file and lines that a command prints, if it does nothing else; null otherwise. Some agents read files only like this. */
export function shellRead(
  command: string,
): { readonly path: string; readonly lines: { readonly from: number; readonly to: number | null } | null } | null {
  if (command.length > 1000) return null;
  const [one, another] = plainCommands(command, '.').filter(({ program }) => !/^(ba|z|da)?sh$/.test(program));
  if (!one || another || one.redirects.length > 0 || one.args.some(({ plain }) => !plain)) return null;
  const words = one.args.map(({ text }) => text);
  const path = words.at(-1);
  if (path === undefined || path.startsWith('-')) return null;
  const options = words.slice(0, -1).join(' ');
  if (/^(cat|nl)$/.test(one.program)) return /^(-\w+)?$/.test(options) ? { path, lines: null } : null;
  const part = one.program === 'sed' ? /^-n (\d+)(?:,(\d+))?p$/.exec(options) : null;
  if (part) return { path, lines: { from: Number(part[1]), to: Number(part[2] ?? part[1]) } };
  const head = one.program === 'head' ? /^(?:-n ?|-)(\d+)$/.exec(options) : null;
  return head ? { path, lines: { from: 1, to: Number(head[1]) } } : null;
}
