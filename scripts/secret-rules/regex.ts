/** The part of RE2 that gitleaks writes its rules in, as a tree. */
export type Node =
  | { readonly is: 'text'; readonly char: string }
  | { readonly is: 'class'; readonly source: string }
  /** `\b` */
  | { readonly is: 'border' }
  /** `$`, `\z`, and `^`, which no rule that we take has */
  | { readonly is: 'end' }
  | { readonly is: 'all'; readonly of: readonly Node[] }
  | { readonly is: 'one'; readonly of: readonly Node[] }
  | { readonly is: 'times'; readonly of: Node; readonly min: number; readonly max: number };

/** A dot stands for itself: rules leave it unescaped in names of hosts. Where the case does not count, classes have both cases; text stays as it is spelled, because tokens are issued in one spelling. */
export function parseRegex(source: string): Node {
  let at = 0;
  let anyCase = false;

  const alternatives = (): Node => {
    const outer = anyCase;
    const options: Node[] = [];
    do {
      if (options.length > 0) at += 1;
      options.push(sequence());
    } while (source[at] === '|');
    anyCase = outer;
    return options.length === 1 && options[0] !== undefined ? options[0] : { is: 'one', of: options };
  };

  const sequence = (): Node => {
    const items: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const item = atom();
      if (item !== null) items.push(counted(item));
    }
    return { is: 'all', of: items };
  };

  const counted = (of: Node): Node => {
    const found = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at));
    if (found === null) return of;
    at += found[0].length;
    const [, sign, from = '', comma, to = ''] = found;
    if (sign === '?') return { is: 'times', of, min: 0, max: 1 };
    if (sign !== undefined) return { is: 'times', of, min: sign === '+' ? 1 : 0, max: Number.POSITIVE_INFINITY };
    const max = comma === '' ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to);
    return { is: 'times', of, min: Number(from), max };
  };

  /** Null: it only set the case for what follows in its group. */
  const atom = (): Node | null => {
    const rest = source.slice(at);
    const flags = /^\(\?(-?)i\)/.exec(rest);
    if (flags !== null) {
      at += flags[0].length;
      anyCase = flags[1] === '';
      return null;
    }
    const group = /^\((?:\?(?:P<\w+>|(-?)(i?)s?:))?/.exec(rest);
    if (group !== null) {
      at += group[0].length;
      const outer = anyCase;
      if (group[2] === 'i') anyCase = group[1] === '';
      const inner = alternatives();
      anyCase = outer;
      at += 1;
      return inner;
    }
    if (rest.startsWith('[')) return charClass();
    if (rest.startsWith('\\')) return escaped();
    at += 1;
    if (rest.startsWith('$') || rest.startsWith('^')) return { is: 'end' };
    return { is: 'text', char: rest[0] ?? '' };
  };

  const escaped = (): Node => {
    const [whole, letter = ''] = /^\\(x[0-9a-f]{2}|.)/i.exec(source.slice(at)) ?? ['', ''];
    at += whole.length;
    if (letter === 'b') return { is: 'border' };
    if (letter === 'z') return { is: 'end' };
    if (/^[wds]$/i.test(letter)) return { is: 'class', source: `[${whole}]` };
    if (letter.length > 1) return { is: 'text', char: String.fromCharCode(Number.parseInt(letter.slice(1), 16)) };
    return { is: 'text', char: letter };
  };

  const charClass = (): Node => {
    const found = /^\[(\^?)((?:\[:alnum:\]|\\.|[^\]\\])+)\]/.exec(source.slice(at));
    if (found === null) throw new Error(`a class that cannot be read: ${source.slice(at)}`);
    at += found[0].length;
    const inside = (found[2] ?? '').replace('[:alnum:]', 'a-zA-Z0-9');
    const both =
      anyCase && !/a-[fz].*A-[FZ]|A-[FZ].*a-[fz]/.test(inside)
        ? inside
            .replaceAll(/(?<!\\)([a-z])-([a-z])/gi, bothCases)
            .replaceAll(/^[a-f0-9]+$/g, (all) => all + all.toUpperCase())
        : inside;
    return { is: 'class', source: `[${found[1]}${both}]` };
  };

  const tree = alternatives();
  if (at < source.length) throw new Error(`not read to its end: ${source}`);
  return tree;
}

function bothCases(range: string, from: string, to: string): string {
  const other =
    from === from.toLowerCase()
      ? `${from.toUpperCase()}-${to.toUpperCase()}`
      : `${from.toLowerCase()}-${to.toLowerCase()}`;
  return `${range}${other}`;
}

/** As JavaScript spells it, with no group that captures and no count without an end. */
export function spell(node: Node): string {
  switch (node.is) {
    case 'text':
      return /[\\^$.*+?()[\]{}|/]/.test(node.char) ? `\\${node.char}` : node.char;
    case 'class':
      return node.source;
    case 'border':
      return '\\b';
    case 'end':
      return '(?![\\s\\S])';
    case 'all':
      return node.of.map((one) => (one.is === 'one' ? `(?:${spell(one)})` : spell(one))).join('');
    case 'one':
      return node.of.map(spell).join('|');
    case 'times': {
      const inner = node.of.is === 'text' || node.of.is === 'class' ? spell(node.of) : `(?:${spell(node.of)})`;
      if (node.min === 0 && node.max === 1) return `${inner}?`;
      return node.min === node.max ? `${inner}{${node.min}}` : `${inner}{${node.min},${node.max}}`;
    }
  }
}

/** How many characters it matches at most. */
export function longest(node: Node): number {
  switch (node.is) {
    case 'text':
    case 'class':
      return 1;
    case 'border':
    case 'end':
      return 0;
    case 'all':
      return node.of.reduce((sum, one) => sum + longest(one), 0);
    case 'one':
      return Math.max(...node.of.map(longest));
    case 'times':
      return longest(node.of) * node.max;
  }
}

/** The texts that a match begins with, as long as they can be told. `whole`: nothing follows. */
export function beginnings(node: Node): { readonly texts: readonly string[]; readonly whole: boolean } {
  switch (node.is) {
    case 'text':
      return { texts: [node.char], whole: true };
    case 'class': {
      const few = /^\[([A-Za-z0-9]{2,4})\]$/.exec(node.source)?.[1];
      return few === undefined ? { texts: [''], whole: false } : { texts: [...few], whole: true };
    }
    case 'border':
      return { texts: [''], whole: true };
    case 'end':
      return { texts: [''], whole: false };
    case 'one': {
      const each = node.of.map(beginnings);
      return { texts: each.flatMap(({ texts }) => texts), whole: each.every(({ whole }) => whole) };
    }
    case 'times':
      return node.min === 1 && node.max === 1 ? beginnings(node.of) : { texts: [''], whole: false };
    case 'all': {
      let texts: readonly string[] = [''];
      for (const one of node.of) {
        const next = beginnings(one);
        if (texts.length * next.texts.length > 64) return { texts, whole: false };
        texts = texts.flatMap((before) => next.texts.map((text) => before + text));
        if (!next.whole) return { texts, whole: false };
      }
      return { texts, whole: true };
    }
  }
}

/** Every class of it. */
export function classesIn(node: Node): readonly string[] {
  if (node.is === 'class') return [node.source];
  if (node.is === 'all' || node.is === 'one') return node.of.flatMap(classesIn);
  return node.is === 'times' ? classesIn(node.of) : [];
}
