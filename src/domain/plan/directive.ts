import { clauseTexts } from '../explain/clauses.ts';
import type { Directive } from './plan.ts';
import type { DraftTask, PlanProblem } from './plan-draft.ts';

/** Mistakes in the brief of a task. The caller decides by `strict` whether they stop the plan. */
export function lintDirective(task: DraftTask, strict: boolean): readonly PlanProblem[] {
  if (task.text === null) return [];
  const of = { task: task.id, file: task.file, place: [...task.place, 'do'] };
  if (strict && task.file === null) return [{ rule: 'directive-inline', ...of }];
  const sections = headings(task.text);
  const required =
    task.file === null ? [] : strict ? (['goal', 'scope', 'acceptance'] as const) : ['acceptance' as const];
  const missing = required.filter((name) => !sections.some((heading) => heading.startsWith(name)));
  const vague = vagueLine(task.text);
  return [
    ...missing.map((section): PlanProblem => ({ rule: 'directive-section', section, ...of })),
    ...(strict && !task.hasFrontMatter ? [{ rule: 'directive-front-matter', ...of } as const] : []),
    ...(vague === null ? [] : [{ rule: 'directive-vague', words: vague, ...of } as const]),
  ];
}

/** The most tokens that a prompt should have. A directive is never cut, so it may have more. */
export const promptTokens = 8_000;
/** Near enough for English and code, and the same for every model. */
export const charactersPerToken = 4;

/** A warning under `strict`, too: the directive is given whole, whatever it costs. */
export function lintDirectiveLength(task: DraftTask): readonly PlanProblem[] {
  const tokens = Math.ceil((task.text?.length ?? 0) / charactersPerToken);
  if (tokens <= promptTokens) return [];
  const of = { task: task.id, file: task.file, place: [...task.place, 'do'] };
  return [{ rule: 'directive-long', tokens, most: promptTokens, ...of }];
}

/** The person's words alone, also where they copied a clause from what an agent was given. */
export const ownWords = ({ text, clauses }: Directive, forbid: readonly string[]): string =>
  clauseTexts(clauses, forbid)
    .reduce((words, clause) => words.replaceAll(clause, ''), text)
    .trim();

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
