import type { DraftTask, Problem } from './plan-draft.ts';

/** What is wrong with the brief of a task. The caller decides by `strict` whether that stops the plan. */
export function lintDirective(task: DraftTask, strict: boolean): readonly Problem[] {
  if (task.text === null) return [];
  const place = [...task.place, 'do'];
  const subject = task.file ?? `the brief of \`${task.id}\``;
  if (strict && task.file === null)
    return [{ rule: 'directive-inline', detail: `${subject} is inline; \`strict\` wants a directive file`, place }];
  const problems: Problem[] = [];
  const sections = headings(task.text);
  const wanted = task.file === null ? [] : strict ? ['goal', 'scope', 'acceptance'] : ['acceptance'];
  for (const section of wanted.filter((name) => !sections.some((heading) => heading.startsWith(name)))) {
    const title = `${section.slice(0, 1).toUpperCase()}${section.slice(1)}`;
    const fix = `add a section \`## ${title}\``;
    problems.push({ rule: 'directive-section', detail: `${subject} has no ${title} section`, place, fix });
  }
  if (strict && !task.hasFrontMatter)
    problems.push({ rule: 'directive-front-matter', detail: `${subject} has no front matter`, place });
  const vague = vagueLine(task.text);
  if (vague !== null) {
    const fix = 'say which file, number or behaviour';
    problems.push({ rule: 'directive-vague', detail: `${subject} is vague: "${vague}"`, place, fix });
  }
  return problems;
}

/** What a prompt should have at most. Its directive is never cut, so that may be more. */
export const promptTokens = 8_000;
/** Near enough for English and code, and the same for every model. */
export const charactersPerToken = 4;

/** A warning under `strict`, too: the directive is given whole, whatever it costs. */
export function lintDirectiveLength(task: DraftTask): readonly Problem[] {
  const tokens = Math.ceil((task.text?.length ?? 0) / charactersPerToken);
  if (tokens <= promptTokens) return [];
  const subject = task.file ?? `the brief of \`${task.id}\``;
  const detail = `${subject} has about ${tokens} tokens, more than a whole prompt should have (${promptTokens})`;
  const fix = 'split the task, or move details into files of the repository';
  return [{ rule: 'directive-long', detail, place: [...task.place, 'do'], fix }];
}

/** Appends what every agent is told. Idempotent: a text that has the block keeps it once. */
export function withMergeGate(text: string, forbid: readonly string[]): string {
  const block = mergeGateBlock(forbid);
  return text.includes(block) ? text : `${text.trimEnd()}\n\n${block}\n`;
}

/** What the person wrote. */
export const withoutMergeGate = (text: string, forbid: readonly string[]): string =>
  text.split(mergeGateBlock(forbid)).join('').trim();

const mergeGateBlock = (forbid: readonly string[]): string =>
  [mergeGate, ...(forbid.length > 0 ? [forbidden(forbid)] : [])].join('\n\n');

export const mergeGate = `<!-- tidegate:merge-gate -->
## Merge gate

- Work only in this workspace, and only on the paths that you own.
- Never commit to, merge into, rebase, push, delete or move a branch or a tag. Tidegate takes a snapshot of your files,
  checks it and integrates it.
- When you are through, hand off: \`tidegate handoff done -m "what you did"\`. Use \`partial\` or \`failed\`
  when that is the truth, and say what remains. Work without a handoff does not count as done.`;

const forbidden = (forbid: readonly string[]): string =>
  ['Never do any of the following:', ...forbid.map((line) => `- ${line.replaceAll('\n', ' ')}`)].join('\n');

/** Titles of markdown headings, lower case, those in code blocks left out. */
function headings(text: string): readonly string[] {
  return withoutCode(text)
    .map((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1])
    .filter((title) => title !== undefined)
    .map((title) => title.toLowerCase());
}

/** The first line that asks for something no one could check, without anything that pins it down. */
function vagueLine(text: string): string | null {
  const line = withoutCode(text).find((candidate) => vagueVerb.test(candidate) && !specific.test(candidate));
  return line === undefined ? null : line.trim().slice(0, 120);
}

const vagueVerb =
  /\b(improve|optimi[sz]e|enhance|clean ?up|tidy( up)?|polish|moderni[sz]e|streamline|make .{0,40}\b(better|nicer|faster|cleaner))\b/i;
/** A number, a path, a name with a dot, something in back-ticks or quotes, an identifier. */
const specific = /[0-9]|`[^`]+`|"[^"]+"|\S\/\S|\w\.\w|\w_\w|[a-z][A-Z]/;

function withoutCode(text: string): readonly string[] {
  let fenced = false;
  return text.split('\n').filter((line) => {
    const marker = /^\s*(```|~~~)/.test(line);
    if (marker) fenced = !fenced;
    return !fenced && !marker;
  });
}
