/**
 * Makes text of agents and repositories safe to show. Terminal controls are removed, except newline and tab. Characters that reorder or
 * hide text are replaced by their code point, so that a person sees them.
 */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(escapeSequence, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(control, '')
    .replaceAll(deceptive, (character) => `<U+${codePoint(character)}>`);
}

/** Does the same on one line, so that an agent's text cannot imitate a line of ours. */
export const safeLine = (text: string): string => safeText(text).replaceAll(/[\n\t]+/g, ' ');

/** Removes characters that move, hide or reorder text, for one line that other programs print, such as a commit subject. */
export const plainLine = (text: string): string =>
  text.toWellFormed().replaceAll(control, '').replaceAll(deceptive, '').replaceAll(/\s+/gu, ' ').trim();

/** True for a text without such characters. */
export const isPlainLine = (text: string): boolean =>
  text === text.replaceAll(/[\n\t]|[^\P{Cc}]/gu, '').replaceAll(deceptive, '');

/** Writes JSON that is as safe on a terminal as `safeText` and parses to the same value. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(notPlain, (unsafe) =>
    [...Array(unsafe.length).keys()].map((at) => `\\u${unsafe.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

const codePoint = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

// CSI, then strings up to their terminator (OSC, DCS, SOS, PM, APC), then two-character escapes; 7-bit and 8-bit forms.
// A string without a terminator is kept: dropping the rest of a log would hide more than it protects.
const escapeSequence = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]*[0-Z\\\\-~]',
  ].join('|'),
  'g',
);
const control = /[^\P{Cc}\n\t]/gu;
/** Bidirectional controls, line separators and invisible tags. */
const deceptive = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
const notPlain = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Quotes a word of a command that people paste into a shell. Agents choose file names, so nothing in them may have a meaning there.
 */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,][\w./@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a path, which must not look like an option either. */
export const shellPath = (path: string): string => (path.startsWith('-') ? shellWord(`./${path}`) : shellWord(path));
