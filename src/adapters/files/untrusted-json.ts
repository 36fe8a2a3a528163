/** A JSON object that an agent or another program wrote: any field may be absent or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

export const parseFields = (line: string): Fields | null => fieldsOf(shallowJson(line));

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const partsOf = (value: unknown): readonly Fields[] =>
  listOf(value)
    .map(fieldsOf)
    .filter((part): part is Fields => part !== null);
export const countOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);

/** No agent has a reason to nest a document deeper. Serializing overflows the stack only far below this depth. */
const deepest = 200;

/** Parses JSON from inside a fence. Undefined when it is not JSON, or is nested too deeply to be walked safely. */
export function shallowJson(text: string): unknown {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) quoted = !quoted;
    else if (quoted) at += character === backslash ? 1 : 0;
    else if (character === brace.open || character === bracket.open) depth += 1;
    else if (character === brace.close || character === bracket.close) depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const brace = { open: 0x7b, close: 0x7d };
const bracket = { open: 0x5b, close: 0x5d };
