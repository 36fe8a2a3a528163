/**
 * Text of agents and repositories as it may be shown: no terminal control survives, except newline and tab.
 * Characters that reorder or hide text are replaced by their code point, so that a person sees that they are there.
 */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(escapeSequence, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(control, '')
    .replaceAll(deceptive, (found) => `<U+${codePoint(found)}>`);
}

/** The same on one line: an agent's text cannot pass for a line of ours. */
export const safeLine = (text: string): string => safeText(text).replaceAll(/[\n\t]+/g, ' ');

/** One line without any character that moves, hides or reorders text: for names that others print, such as subjects of commits. */
export const plainLine = (text: string): string =>
  text.toWellFormed().replaceAll(control, '').replaceAll(deceptive, '').replaceAll(/\s+/gu, ' ').trim();

/** Whether a text has such characters. */
export const isPlainLine = (text: string): boolean =>
  text === text.replaceAll(/[\n\t]|[^\P{Cc}]/gu, '').replaceAll(deceptive, '');

/** JSON whose text is as harmless on a terminal as `safeText`, and parses back to the very same value. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(notPlain, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

const codePoint = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

// CSI, then strings up to their terminator (OSC, DCS, SOS, PM, APC), then two-character escapes; 7-bit and 8-bit forms.
// A string that never ends is not swallowed: losing the rest of a log would hide more than it protects.
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
