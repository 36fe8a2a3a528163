/** A member of a union of object types with a literal `type`, as it is written in the source. */
export type Member = {
  readonly names: readonly string[];
  readonly comment: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly note: string }[];
};

/**
 * Reads `type <union> = | { readonly type: 'a'; … } | …` from source that our formatter has written: members begin
 * on a line of two spaces and a bar.
 */
export function unionMembers(source: string, union: string): readonly Member[] {
  const from = source.search(new RegExp(`^(?:export )?type ${union} =`, 'm'));
  const to = source.indexOf(';\n\n', from);
  if (from < 0 || to < 0) throw new Error(`there is no union ${union}`);
  const body = source.slice(source.indexOf('=', from) + 1, to);
  const members: Member[] = [];
  let comment = '';
  for (const part of body.split(/\n(?= {2}(?:\||\/\*\*|\/\/))/)) {
    const text = part.trim();
    if (text.startsWith('/**')) comment = sentence(text);
    else if (text.startsWith('|')) {
      members.push(memberOf(text, comment));
      comment = '';
    }
  }
  return members;
}

function memberOf(text: string, comment: string): Member {
  const names = /readonly type:\s*([^;]+);?/.exec(text)?.[1] ?? '';
  const fields = [...text.matchAll(/(\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*)?readonly (\w+\??): ((?:[^;{]|\{[^}]*\})+)/g)]
    .filter(([, , name]) => name !== 'type')
    .map(([, note, name, type]) => ({
      name: name ?? '',
      type: (type ?? '')
        .replace(/\s*\}\)?(?: & \w+\))?$/, '')
        .replaceAll(/readonly\s+/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
      note: note === undefined ? '' : sentence(note),
    }));
  const also = /\} & (\w+)\)/.exec(text)?.[1];
  return {
    names: [...names.matchAll(/'([^']+)'/g)].map((found) => found[1] ?? ''),
    comment: [comment, also === undefined ? '' : `With all of \`${also}\`.`].filter(Boolean).join(' '),
    fields,
  };
}

const sentence = (comment: string): string =>
  comment
    .replaceAll(/^\s*\/?\*+\/?|\*\/\s*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
