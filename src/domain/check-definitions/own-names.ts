import type { PlainCommand } from '../shell/plain-commands.ts';

/** Names in a shell script that are no programs. */
export type OwnNames = {
  isFunction(command: PlainCommand): boolean;
  /** True once for each label of a `case`: a program may have the same name. */
  takeLabel(command: PlainCommand): boolean;
};

export function ownNames(text: string): OwnNames {
  const functions = new Set(
    [...text.matchAll(/^[^\S\n]*(?:function[^\S\n]+([\w.-]+)|([\w.-]+)[^\S\n]*\([^\S\n]*\))/gm)].map(
      ([, keyword, plain]) => keyword ?? plain ?? '',
    ),
  );
  const labels = new Map<string, number>();
  for (const [, list = ''] of text.matchAll(/(?:\bin|;;|;&)\s*(?:#[^\n]*\n\s*)*\(?([^()\n;&$`]+)\)/g))
    for (const label of list.split('|').map((word) => word.trim().replace(/^["']|["']$/g, '')))
      labels.set(label, (labels.get(label) ?? 0) + 1);
  return {
    isFunction: ({ program }) => functions.has(program),
    takeLabel: ({ name, args }) => {
      const left = args.length > 0 ? 0 : (labels.get(name?.text ?? '') ?? 0);
      if (left > 0) labels.set(name?.text ?? '', left - 1);
      return left > 0;
    },
  };
}
