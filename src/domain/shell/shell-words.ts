/**
 * A simple command of a shell text, as far as the text determines it. Expansions, functions and aliases are not followed: a word with
 * an expansion is not `plain`. Parsing never fails and takes linear time; text that is nested too deeply or too long is left out.
 */
export type SimpleCommand = {
  readonly words: readonly Word[];
  readonly redirects: readonly { readonly operator: string; readonly target: Word }[];
  /** 0 at the top level; higher in subshells and substitutions, whose `cd` has no effect outside. */
  readonly depth: number;
};

/** A word without its quotes. `plain`: the shell passes exactly this text. */
export type Word = { readonly text: string; readonly plain: boolean };

const deepest = 32;
const mostWords = 5000;

export function simpleCommands(text: string): readonly SimpleCommand[] {
  const reader: Reader = { text, at: 0, words: 0, commands: [], heredocs: [] };
  while (reader.at < text.length && reader.words < mostWords) {
    readList(reader, 0);
    reader.at++; // a closing parenthesis that nothing opened
  }
  return reader.commands;
}

type Reader = {
  readonly text: string;
  at: number;
  words: number;
  readonly commands: SimpleCommand[];
  /** Delimiters of the here-documents that begin after this line. */
  heredocs: { readonly delimiter: string; readonly tabs: boolean }[];
};

/** Reads up to the closing parenthesis, which is left for the caller. */
function readList(reader: Reader, depth: number): void {
  const { text } = reader;
  let words: Word[] = [];
  let redirects: { operator: string; target: Word }[] = [];
  const finish = () => {
    if (words.length > 0 || redirects.length > 0) reader.commands.push({ words, redirects, depth });
    words = [];
    redirects = [];
  };
  while (reader.at < text.length && reader.words < mostWords) {
    const character = text[reader.at];
    if (character === ' ' || character === '\t' || character === '\r') reader.at++;
    else if (character === '\\' && text[reader.at + 1] === '\n') reader.at += 2;
    else if (character === '\n') {
      finish();
      reader.at++;
      skipHeredocs(reader);
    } else if (character === ';' || character === '|' || (character === '&' && text[reader.at + 1] !== '>')) {
      finish();
      reader.at++;
    } else if (character === ')') break;
    else if (character === '(') {
      if (text[reader.at + 1] === '(' && words.length === 0 && skipArithmetic(reader)) continue;
      finish();
      reader.at++;
      if (depth < deepest) readList(reader, depth + 1);
      if (text[reader.at] === ')') reader.at++;
    } else if (character === '#') skipTo(reader, '\n');
    else if (character === '<' || character === '>' || character === '&') {
      const redirect = readRedirect(reader, depth, words);
      if (redirect) redirects.push(redirect);
    } else words.push(readWord(reader, depth));
  }
  finish();
}

function readRedirect(reader: Reader, depth: number, words: Word[]): { operator: string; target: Word } | null {
  reader.words++;
  // `[[ a > b ]]` compares.
  const compares = words[0]?.text === '[[' && words.at(-1)?.text !== ']]';
  redirectOperator.lastIndex = reader.at;
  const operator = redirectOperator.exec(reader.text)?.[0] ?? '>';
  reader.at += operator.length;
  if ((operator === '<' || operator === '>') && reader.text[reader.at] === '(') {
    reader.at++;
    if (depth < deepest) readList(reader, depth + 1);
    if (reader.text[reader.at] === ')') reader.at++;
    words.push({ text: '', plain: false });
    return null;
  }
  if (/^\d+$/.test(words.at(-1)?.text ?? '') && touches(reader, operator)) words.pop();
  while (reader.text[reader.at] === ' ' || reader.text[reader.at] === '\t') reader.at++;
  const target = readWord(reader, depth);
  if (compares) return null;
  if (operator === '<<' || operator === '<<-') {
    reader.heredocs.push({ delimiter: target.text, tabs: operator === '<<-' });
    return null;
  }
  return { operator, target };
}
const redirectOperator = /&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>\||>&|>/y;

/** True when a number is directly before the operator, which makes it a descriptor. */
const touches = ({ text, at }: Reader, operator: string): boolean => /\d/.test(text[at - operator.length - 1] ?? '');

function readWord(reader: Reader, depth: number): Word {
  const { text } = reader;
  const parts: string[] = [];
  let plain = true;
  const begin = reader.at;
  reader.words++;
  for (;;) {
    plainRun.lastIndex = reader.at;
    const run = plainRun.exec(text)?.[0] ?? '';
    parts.push(run);
    reader.at += run.length;
    const character = text[reader.at];
    if (character === "'") parts.push(readUntilQuote(reader));
    else if (character === '"') plain = readDoubleQuoted(reader, depth, parts) && plain;
    else if (character === '\\') {
      if (text[reader.at + 1] !== '\n') parts.push(text[reader.at + 1] ?? '');
      reader.at += 2;
    } else if (character === '$' || character === '`') {
      plain = false;
      parts.push(readExpansion(reader, depth));
    } else if (character !== undefined && '*?[{'.includes(character)) {
      plain = plain && character === '{' && text[reader.at + 1] === '}';
      parts.push(character);
      reader.at++;
    } else break;
  }
  // skips a character that begins no word, such as a second operator
  if (reader.at === begin && reader.at < text.length && !')\n;|&<>('.includes(text[reader.at] ?? '')) reader.at++;
  return { text: parts.join(''), plain };
}
const plainRun = /[^\s'"\\$`*?[{;&|<>()]*/y;

function readUntilQuote(reader: Reader): string {
  const end = reader.text.indexOf("'", reader.at + 1);
  const inner = reader.text.slice(reader.at + 1, end < 0 ? undefined : end);
  reader.at = end < 0 ? reader.text.length : end + 1;
  return inner;
}

/** False when it holds an expansion. */
function readDoubleQuoted(reader: Reader, depth: number, parts: string[]): boolean {
  const { text } = reader;
  let plain = true;
  reader.at++;
  while (reader.at < text.length) {
    quotedRun.lastIndex = reader.at;
    const run = quotedRun.exec(text)?.[0] ?? '';
    parts.push(run);
    reader.at += run.length;
    const character = text[reader.at];
    if (character === '"') {
      reader.at++;
      return plain;
    }
    if (character === '\\') {
      const next = text[reader.at + 1] ?? '';
      if (next !== '\n') parts.push('$`"\\'.includes(next) ? next : `\\${next}`);
      reader.at += 2;
    } else if (character !== undefined) {
      plain = false;
      parts.push(readExpansion(reader, depth));
    }
  }
  return plain;
}
const quotedRun = /[^"\\$`]*/y;

/** Reads the commands inside an expansion. Returns its placeholder in the word. */
function readExpansion(reader: Reader, depth: number): string {
  const { text, at } = reader;
  if (text[at] === '`') {
    const end = text.indexOf('`', at + 1);
    const inner = text.slice(at + 1, end < 0 ? undefined : end);
    reader.at = end < 0 ? text.length : end + 1;
    if (depth < deepest)
      reader.commands.push(...simpleCommands(inner).map((one) => ({ ...one, depth: one.depth + depth + 1 })));
    return '';
  }
  if (text[at + 1] === '{') {
    skipTo(reader, '}');
    reader.at++;
    return '$';
  }
  if (text[at + 1] !== '(') {
    reader.at++;
    return '$';
  }
  reader.at++;
  if (text[at + 2] === '(' && skipArithmetic(reader)) return '';
  reader.at++;
  const { heredocs } = reader;
  reader.heredocs = [];
  if (depth < deepest) readList(reader, depth + 1);
  reader.heredocs = heredocs;
  if (text[reader.at] === ')') reader.at++;
  return '';
}

/** Skips `((…))` if it ends soon; false otherwise. */
function skipArithmetic(reader: Reader): boolean {
  const end = reader.text.slice(reader.at, reader.at + 500).indexOf('))');
  if (end >= 0) reader.at += end + 2;
  return end >= 0;
}

function skipTo(reader: Reader, character: string): void {
  const end = reader.text.indexOf(character, reader.at);
  reader.at = end < 0 ? reader.text.length : end;
}

function skipHeredocs(reader: Reader): void {
  for (const { delimiter, tabs } of reader.heredocs) {
    for (let isOver = false; !isOver && reader.at < reader.text.length; reader.at++) {
      const begin = reader.at;
      skipTo(reader, '\n');
      const line = reader.text.slice(begin, reader.at);
      isOver = (tabs ? line.replace(/^\t+/, '') : line) === delimiter;
    }
  }
  reader.heredocs = [];
}
