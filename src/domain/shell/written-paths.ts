import { resolvePath } from '../base/lexical-path.ts';
import type { PlainCommand } from './plain-commands.ts';
import type { Word } from './shell-words.ts';

/**
 * Paths that a command plainly writes, absolute. Each as a list of choices: `cp a b` writes `b` or, if that is a directory, `b/a`.
 * What is removed is not told: agents tidy up after themselves, and what builds leave behind is nobody's.
 */
export function writtenBy(command: PlainCommand, home: string | null): readonly (readonly string[])[] {
  const place = ({ text, plain }: Word): string | null => {
    if (!plain || text === '' || text === '-') return null;
    if (text.startsWith('/')) return resolvePath('/', text);
    if (text.startsWith('~')) return home !== null && text.startsWith('~/') ? resolvePath(home, text.slice(2)) : null;
    return command.directory === null ? null : resolvePath('/', `${command.directory}/${text}`);
  };
  const redirected = command.redirects
    .filter(({ operator, target }) => operator.includes('>') && !(operator === '>&' && /^(\d+|-)$/.test(target.text)))
    .map(({ target }) => [target]);
  return [...redirected, ...operandsWritten(command)].flatMap((choices) => {
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
      return copied(args, operands);
    case 'sed':
      return editedInPlace(args);
    case 'dd':
      return args
        .filter(({ text }) => text.startsWith('of='))
        .map(({ text, plain }) => [{ text: text.slice(3), plain }]);
    default:
      return [];
  }
}

function copied(args: readonly Word[], operands: readonly Word[]): readonly (readonly Word[])[] {
  const to = operands.at(-1);
  // With `-t` the directory comes first, and options with words of their own would be taken for operands.
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

function editedInPlace(args: readonly Word[]): readonly (readonly Word[])[] {
  if (!args.some(({ text }) => /^-[nErsuz]*i|^--in-place/.test(text))) return [];
  const hasScript = args.some(({ text }) => /^-[nErsuz]*[ef]$|^--(expression|file)/.test(text));
  const operands = args.filter(
    ({ text }, index) => text !== '' && !text.startsWith('-') && !/^-[nErsuz]*[ef]$/.test(args[index - 1]?.text ?? ''),
  );
  return operands.slice(hasScript ? 0 : 1).map((one) => [one]);
}
