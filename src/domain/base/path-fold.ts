/**
 * The spelling under which two paths are one file on some file system we meet: case folded, decomposed, and without
 * the code points that HFS+ and casefolding ext4 ignore. Equal folds mean the same owner.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  // Lower, upper, lower: capital sharp s becomes `ss` only by way of its lower case. Final sigma is position-bound.
  const cased = path.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return cased.normalize('NFD').replaceAll('ς', 'σ').replace(ignorable, '');
}

/** The one spelling of a name that git trees of different hosts agree on; case is kept. */
export const normalisePath = (path: string): string => (isAscii(path) ? path : path.normalize('NFC'));

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
