/**
 * A goal as the pieces of work that it lists: items of a list, sentences, and what follows a comma, `and` or `then` if it begins with
 * a verb of its own. What is in quotes, back-ticks or brackets is never cut. Every goal has at least one.
 */
export function clausesOf(goal: string): readonly string[] {
  const clauses = blocksOf(goal).flatMap(sentencesOf);
  return clauses.length === 0 ? [goal.trim()] : clauses;
}

/** Items of lists, and paragraphs. A line that only announces a list is none. */
function blocksOf(goal: string): readonly string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of goal.split('\n').map((one) => one.trim())) {
    const item = bullet.exec(line)?.[1];
    if (item !== undefined && blocks.at(-1)?.endsWith(':')) blocks.pop();
    if (item !== undefined) blocks.push(item);
    else if (open && line !== '') blocks.push(`${blocks.pop()} ${line}`);
    else if (line !== '') blocks.push(line);
    open = line !== '';
  }
  return blocks;
}
const bullet = /^(?:[-*•‣]|\d{1,3}[.)])\s+(\S.*)$/u;

/** Goals come from anyone: runs of one character must not take longer than their length. */
function sentencesOf(block: string): readonly string[] {
  const text = block.replaceAll(/\s{2,}/gu, ' ');
  const masked = text.replaceAll(untouchable, (found) => '\u{e000}'.repeat(found.length));
  const cuts = [...masked.matchAll(separator)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
  }));
  const starts = [0, ...cuts.map(({ to }) => to)];
  const ends = [...cuts.map(({ from }) => from), text.length];
  return starts
    .map((start, at) =>
      withoutEnd(text.slice(start, ends[at]).replace(/^[\s,;]*(?:(?:and\s)?then\b[\s,]*)?/iu, ''), ' .,;:'),
    )
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause));
}

const untouchable =
  /`[^`]{0,500}`|"[^"]{0,500}"|“[^“”]{0,500}”|«[^«»]{0,500}»|\([^()]{0,500}\)|\b(?:e\.g|i\.e|etc|vs|cf)\./gu;

const verbs =
  'add adjust analyse analyze audit build configure convert create delete deploy disable document enable expose explain extend extract find fix implement improve integrate introduce investigate make migrate modify move optimise optimize prepare prove publish refactor remove rename replace rewrite simplify translate understand update upgrade validate verify wire write';
/** Also nouns: verbs only before what they are done to. */
const either =
  'benchmark change check clean design lint measure release report review run scan search split support test use';
const begins = `(?:(?:${verbs.replaceAll(' ', '|')})\\b|(?:${either.replaceAll(' ', '|')}) (?:the|a|an|it|its|them|all|each|every|both|that|this|how|whether|for|in|with|by)\\b)`;
const separator = new RegExp(
  [
    '[.!?;]{1,3}\\s|[。！？；]+\\s?',
    ',?\\s(?:and\\s)?then,?\\s(?=\\S)',
    `\\s?,\\s?(?:and\\s)?(?:also\\s)?(?=${begins})`,
    `\\sand\\s(?:also\\s)?(?=${begins})`,
  ].join('|'),
  'giu',
);

/** Without these characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
