import { Lexer, Parser } from 'yaml';

/** Deeper than anything that a person has a reason to write; far below where the parser runs out of stack. */
export const deepestYaml = 100;

/** Where lists and mappings nest deeper than that, as an offset; null where they do not. Reads no further than there. */
export function tooDeepAt(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    // The document itself, the collections that are open, and a value.
    if (parser.stack.length > deepestYaml + 2) return parser.offset;
  }
  return null;
}
