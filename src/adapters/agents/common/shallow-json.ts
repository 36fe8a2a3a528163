/** Deeper than any document that an agent has a reason to write; far below the depth at which writing it again overflows the stack. */
const deepest = 200;

/** JSON from inside a fence. Undefined: it is none, or is nested so deeply that nothing of ours could go through it. */
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
