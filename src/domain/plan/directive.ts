import { clauseTexts } from '../explain/text.ts';
import type { Directive, Role } from './plan.ts';
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
/** Characters per token: near enough for English and code, and the same for every model. */
export const charactersPerToken = 4;

/** A warning, under `strict` too: the agent gets the whole directive, whatever it costs. */
export function lintDirectiveLength(task: DraftTask): readonly PlanProblem[] {
  const tokens = Math.ceil((task.text?.length ?? 0) / charactersPerToken);
  if (tokens <= promptTokens) return [];
  const of = { task: task.id, file: task.file, place: [...task.place, 'do'] };
  return [{ rule: 'directive-long', tokens, most: promptTokens, ...of }];
}

/** Returns the person's words alone, without a clause that they copied from a prompt. */
export const ownWords = ({ text, clauses }: Directive, forbid: readonly string[]): string =>
  clauseTexts(clauses, forbid)
    .reduce((words, clause) => words.replaceAll(clause, ''), text)
    .trim();

/** Returns the titles of markdown headings in lower case, except those in code blocks. */
function headings(text: string): readonly string[] {
  return withoutCode(text)
    .map((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1])
    .filter((title) => title !== undefined)
    .map((title) => title.toLowerCase());
}

/** Returns the first line that asks for something that nobody could check, without a detail that makes it precise. */
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

/** Returns the paragraph on a role that follows the directive. `isReadOnly`: the task may change no file. */
export const roleText = (role: Role, isReadOnly: boolean): string =>
  role === 'discovery' && isReadOnly
    ? `${roleWords[role]} Change nothing: your handoff is all that others get.`
    : roleWords[role];

const roleWords: Readonly<Record<Role, string>> = {
  discovery:
    'You explore. Read until you can answer with certainty, name files and lines for what you say, and separate observations from assumptions.',
  'impl-core':
    'You implement the core of a change. Make it work for every case that the task names, with tests that would fail without it. Keep to the patterns that the code around it has, and leave out refinement that nobody asked for.',
  'impl-polish':
    'You finish what already works: edge cases, messages, naming, small gaps. Keep behaviour that is tested as it is, and make no change that you could not explain in one sentence.',
  quality:
    'You prove that the work holds. Write tests for what could break, run all checks, and fix what they find within your scope. Never weaken, skip or delete a test to make it pass.',
  finalization:
    'You finish the work: leftovers, changelog, version notes, dead code. Begin nothing new, and say what remains open.',
  docs: 'You write documentation. Verify every command, name and claim against the code as it is now, write for a reader who is new, and prefer correcting an existing page to adding one.',
  design:
    'You design. State the problem, the constraints that you found in the code, the options with their costs, and the one that you choose. Be concrete enough that another person can build it without asking.',
  infra:
    'You work on build, automation and configuration. Make changes that can be repeated and reverted, pin versions, put no secret anywhere, and say what has to be done by hand.',
  deploy:
    'You prepare a release or a deployment. Deploy nothing yourself: leave scripts, manifests and notes that a person can run, with how to check success and how to go back.',
  research:
    'You answer a question. Give sources for what you state, measure where you can, say how sure you are, and put the answer before the reasons.',
  eval: 'You measure how good something is. Fix the criteria before you look at results, report numbers with how they were obtained, and change nothing of what you measure.',
  security:
    'You look for ways in. Follow untrusted input to where it is used, show for each finding how it would be exploited and how bad that is, and do not report what you cannot substantiate.',
  integration:
    'You make parts fit together. Look at interfaces between them, run the whole and not only the pieces, and fix the interfaces rather than the parts.',
  qa: 'You judge as a user would. Follow the acceptance point by point, try what was not thought of, and report each deviation with the steps that show it.',
};
