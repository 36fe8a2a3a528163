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
