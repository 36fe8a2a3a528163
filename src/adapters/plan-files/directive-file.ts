import { dirname } from 'node:path';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { TaskKeys } from '../../domain/plan/plan-draft.ts';
import { insideRepository, isWithin, pathFromRoot } from './repository-path.ts';
import { type FrontMatter, frontMatterSchema } from './schema.ts';
import { readSource } from './source-text.ts';
import { fitSchema } from './structure.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';

type Directive = {
  readonly file: string | null;
  /** null: it could not be read, and `findings` say why. */
  readonly text: string | null;
  readonly hasFrontMatter: boolean;
  readonly keys: TaskKeys;
  /** Its front matter, with places; null without one. */
  readonly front: YamlDocument | null;
  readonly findings: readonly Finding[];
};

/** One word that ends in .md is a path; anything else is the brief itself. */
export const namesFile = (brief: string): boolean => /^\S+\.md$/i.test(brief.trim());

/** Reads the directive that a task names. `where` is the place of `do` in the plan. */
export async function readDirective(
  task: { readonly id: string; readonly brief: string; readonly keys: TaskKeys; readonly where: string },
  root: string,
  planPath: string,
): Promise<Directive> {
  const unread = (finding: Finding, file: string | null): Directive => ({
    file,
    text: null,
    hasFrontMatter: false,
    keys: task.keys,
    front: null,
    findings: [finding],
  });
  const path = task.brief.trim();
  // A plan that we keep lies outside of the checkout: what it names is named from the root.
  const from = isWithin(root, planPath) ? dirname(planPath) : root;
  const absolute = await insideRepository(root, from, path);
  if (absolute === null) return unread({ rule: 'leaves-repository', path, where: task.where }, null);
  const shown = pathFromRoot(root, absolute);
  const source = await readSource(absolute, shown);
  if (!source.ok) return unread({ ...source.finding, directiveOf: task.id, where: task.where }, shown);
  const { matter, body } = splitFrontMatter(source.text);
  const front = matter === null ? null : readFrontMatter(matter, shown, task);
  const findings = [...(front?.findings ?? [])];
  if (body.trim() === '') findings.push({ rule: 'empty-directive', task: task.id, file: shown, where: shown });
  const text = body.trim() === '' ? null : body;
  return {
    file: shown,
    text,
    hasFrontMatter: matter !== null,
    keys: { ...front?.keys, ...task.keys },
    front: front?.document ?? null,
    findings,
  };
}

/** The lines before the matter are kept as blank ones, so that positions in it are those of the file. */
function splitFrontMatter(text: string): { readonly matter: string | null; readonly body: string } {
  const found = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text);
  return found ? { matter: `\n${found[1] ?? ''}`, body: text.slice(found[0].length) } : { matter: null, body: text };
}

function readFrontMatter(
  matter: string,
  shown: string,
  task: { readonly id: string; readonly keys: TaskKeys },
): { readonly keys: TaskKeys; readonly document: YamlDocument | null; readonly findings: readonly Finding[] } {
  const { document, findings } = readYaml(matter, shown);
  if (document === null) return { keys: {}, document, findings };
  const { data, problems } = fitSchema<FrontMatter>(frontMatterSchema, document.value ?? {});
  const { id, ...keys } = data ?? {};
  const plan: Readonly<Record<string, unknown>> = { ...task.keys, id: task.id };
  const contradictions = Object.entries(data ?? {})
    .filter(([key, value]) => value !== undefined && plan[key] !== undefined && !sameMeaning(plan[key], value))
    .map(([key, value]) =>
      document.finding({
        rule: 'front-matter-contradicts',
        key,
        words: [boundedWords(JSON.stringify(value), 300), boundedWords(JSON.stringify(plan[key]), 300)],
        place: [key],
      }),
    );
  return { keys, document, findings: [...findings, ...problems.map(document.finding), ...contradictions] };
}

/** Lists of a task are sets; an agent alone is a chain of one. */
const sameMeaning = (a: unknown, b: unknown): boolean => canonicalJson(asSet(a)) === canonicalJson(asSet(b));
const asSet = (value: unknown): unknown =>
  Array.isArray(value) ? [...new Set(value.map(String))].sort() : typeof value === 'string' ? [value] : value;
