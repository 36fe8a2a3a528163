/** A text as words that keywords can be held against: lower case, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * Whether a keyword stands in a text, as whole words in this order. Words of four letters and more also count with the usual
 * English endings, articles may stand between the words of a phrase, and `profil*` means every word that begins so.
 */
export function mentions(words: readonly string[], keyword: string): boolean {
  const wanted = keyword
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}*]+/u)
    .filter((word) => word !== '');
  return wanted.length > 0 && words.some((_, at) => phraseAt(words, at, wanted));
}

function phraseAt(words: readonly string[], start: number, wanted: readonly string[]): boolean {
  let at = start;
  return wanted.every((word, index) => {
    while (index > 0 && articles.has(words[at] ?? '')) at += 1;
    return isWord(words[at++] ?? '', word);
  });
}

function isWord(word: string, wanted: string): boolean {
  if (wanted.endsWith('*')) return wanted.length > 1 && word.startsWith(wanted.slice(0, -1));
  if (word === wanted) return true;
  if (wanted.length < 4) return false;
  if (word.startsWith(wanted)) return endings.has(word.slice(wanted.length));
  // policy, policies
  if (wanted.endsWith('y') && word === `${wanted.slice(0, -1)}ies`) return true;
  // cache, caching
  return wanted.endsWith('e') && word.startsWith(wanted.slice(0, -1)) && word.slice(wanted.length - 1) === 'ing';
}

const articles: ReadonlySet<string> = new Set(['the', 'a', 'an']);
const endings: ReadonlySet<string> = new Set(['s', 'es', 'd', 'ed', 'ing', 'er', 'ers']);
