/** Whether a path is within a pattern of `*`, `?`, whole-segment `**` and a trailing slash. Slow, plain and ours alone. */
export function naiveMatch(pattern: string, path: string): boolean {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  return segments(whole.split('/'), path.split('/'));
}

function segments(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return path.length === 0;
  if (head === '**') {
    if (rest.length === 0) return path.length > 0;
    return path.some((_, index) => segments(rest, path.slice(index)));
  }
  const [first, ...others] = path;
  return first !== undefined && characters(head, first) && segments(rest, others);
}

function characters(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*')
    return Array.from({ length: text.length + 1 }, (_, index) => index).some((index) =>
      characters(pattern.slice(1), text.slice(index)),
    );
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && characters(pattern.slice(1), text.slice(1));
}
