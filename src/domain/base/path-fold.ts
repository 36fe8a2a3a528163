/**
 * Folds a path so that two paths that are one file on some file system become equal: case folded, decomposed, and without the code
 * points that HFS+ and case-folding ext4 ignore. Equal folds have the same owner.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  // Lower, upper, lower: capital sharp s becomes `ss` only by way of its lower case. Final sigma is position-bound.
  const cased = path.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return cased.normalize('NFD').replaceAll('ς', 'σ').replace(ignorable, '');
}

/** Returns the Unicode form that git trees of different hosts agree on; case is kept. */
export const normalisePath = (path: string): string => (isAscii(path) ? path : path.normalize('NFC'));

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
