/** Resolves `.` and `..` without following links. */
export function resolvePath(from: string, path: string): string {
  const steps: string[] = [];
  for (const step of (path.startsWith('/') ? path : `${from}/${path}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** Returns the path relative to a directory above it, `''` for the directory itself, null elsewhere. Both must be resolved. */
export function below(directory: string, path: string): string | null {
  if (path === directory) return '';
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

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

/**
 * Writes a path as people see and type it. A path that is not UTF-8, or has characters that a terminal would interpret or hide, is
 * quoted as git does: in double quotes, with bytes other than printable ASCII in octal. Two paths never look the same.
 */
export function shownPath(bytes: Uint8Array): string {
  const text = textOf(bytes);
  return text === null || text.startsWith('"') || unshown.test(text) ? quotedBytes(bytes) : text;
}

/** Quotes a path as git does, whether or not it is necessary. */
export function quotedBytes(bytes: Uint8Array): string {
  const escaped = Array.from(bytes, (byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${escaped.join('')}"`;
}

/** Returns the bytes of a shown path; null when no path is shown like this. */
export function bytesOfShown(shown: string): Uint8Array | null {
  if (!shown.startsWith('"')) return new TextEncoder().encode(shown);
  if (!/^"(?:[ !#-[\]-~]|\\[0-3][0-7]{2})*"$/.test(shown)) return null;
  const parts = shown.slice(1, -1).match(/\\\d{3}|./g) ?? [];
  return Uint8Array.from(parts, (part) => (part.length === 4 ? Number.parseInt(part.slice(1), 8) : part.charCodeAt(0)));
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Controls and the characters that `safeText` replaces. */
const unshown = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u;
