import { below } from '../base/lexical-path.ts';
import type { ShowRule, Visible } from './visible.ts';

/** Why something of the person's is visible in a fence, in a few words. */
export function whyShown(rule: ShowRule, home: string): string {
  switch (rule.rule) {
    case 'row':
      return rule.row;
    case 'directory':
      return 'on your PATH';
    case 'programs':
      return 'a program on your PATH; the rest of its directory is not visible';
    case 'beside':
      return 'libraries beside a bin on your PATH';
    case 'package':
      return `the package that ${homely(rule.from, home)} leads to`;
    case 'program':
      return `the program that ${homely(rule.from, home)} leads to`;
  }
}

export const whyLeft: Readonly<Record<Visible['left'][number]['why'], string>> = {
  closed: 'in the checkout or the state directory',
  'made-anew': 'the fence has a directory of its own there',
  'too-much': 'too many files to look through',
};

/** As people write it. */
export function homely(path: string, home: string): string {
  const inside = below(home, path);
  return inside === null ? path : inside === '' ? '~' : `~/${inside}`;
}

/** The line of a configuration that makes these paths visible. */
export function readLine(paths: readonly string[], home: string): string {
  const shown = paths.map((path) => homely(path, home));
  const written = shown.map((path) => (/^[\w~/.@+-]+$/.test(path) ? path : JSON.stringify(path)));
  return `fence: { read: [${written.join(', ')}] }`;
}
