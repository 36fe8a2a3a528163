/** Columns that a terminal uses for a text without control characters. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += isWide(segment) ? 2 : 1;
  return width;
}

/** The text, cut to at most `columns` with `…` where something was left out. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (isPlain(text)) return columns > 0 ? `${text.slice(0, columns - 1)}…` : '';
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes().segment(text)) {
    const next = isWide(segment) ? 2 : 1;
    if (width + next > columns - 1) break;
    kept += segment;
    width += next;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** Most of what is drawn: one column for each character, and nothing to look up. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

// Making one costs 10 ms, which commands that draw nothing need not pay.
let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter;
}

const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60\uffe0-\uffe6\u3000-\u303e]/u;
const isWide = (segment: string): boolean => segment.length > 0 && segment.charCodeAt(0) > 0x10ff && wide.test(segment);
