import { isPlainLine, plainLine } from '../base/safe-text.ts';
import type { FrozenPlan, PlannedTask } from './plan.ts';

/** Placeholders of the key `commit`. */
export const subjectPlaceholders = ['task', 'title', 'run', 'plan', 'wave', 'role'] as const;
type Placeholder = (typeof subjectPlaceholders)[number];

/** A mistake in a template; `token` is the placeholder that does not exist. */
export type SubjectFault =
  | { readonly fault: 'several-lines' | 'empty' | 'too-long' | 'unprintable' }
  | { readonly fault: 'unknown-placeholder'; readonly token: string };

/** The usual limit for a subject, in git itself and at most hosts. */
const longest = 72;
/** The most characters that a template may take, so that room is left for the title. */
const longestWritten = 48;

export function subjectFault(template: string): SubjectFault | null {
  if (/[\r\n]/.test(template)) return { fault: 'several-lines' };
  if (!isPlainLine(template)) return { fault: 'unprintable' };
  const unknown = [...template.matchAll(placeholder)].find(([, name]) => !isPlaceholder(name ?? ''));
  if (unknown !== undefined) return { fault: 'unknown-placeholder', token: unknown[0] };
  if (template.trim() === '') return { fault: 'empty' };
  return [...template.replace(placeholder, '')].length > longestWritten ? { fault: 'too-long' } : null;
}

type Described = Pick<PlannedTask, 'id' | 'directive' | 'role' | 'closes'>;

/** Returns the first line of a task's commit: its title, or the plan's `commit` filled in. One line of at most 72 characters. */
export function commitSubject(
  plan: Pick<FrozenPlan, 'name' | 'waves' | 'commit'>,
  run: string,
  task: Described,
): string {
  const isHere = ({ id }: Pick<PlannedTask, 'id'>): boolean => id === task.id;
  const wave = String(
    plan.waves.findIndex(({ tasks, closure = [] }) => tasks.some(isHere) || closure.some(isHere)) + 1,
  );
  return filled(plan, { task: task.id, title: roleTitle(task, wave) ?? titleOf(task), run, wave, role: task.role });
}

/** The brief of a task that Tidegate makes addresses its agent, and is no title. Null for any other task. */
function roleTitle({ id, closes }: Described, number: string): string | null {
  if (closes !== undefined) return `Close wave ${number}: ${closes}`;
  return id === `wave-${number}-design` ? `Design wave ${number}` : null;
}

/** Returns the first line of the commit of generated files. */
export const generatedSubject = (plan: Pick<FrozenPlan, 'name' | 'commit'>, run: string, wave: number): string =>
  filled(plan, { task: 'generated', title: 'Rebuild generated files', run, wave: String(wave + 1), role: 'generated' });

/** Returns the first line of the commit with new levels of components. */
export const promotionSubject = (plan: Pick<FrozenPlan, 'name' | 'commit'>, run: string, wave: number): string =>
  filled(plan, { task: 'promote', title: 'Promote components', run, wave: String(wave + 1), role: 'generated' });

function filled(
  { name, commit }: Pick<FrozenPlan, 'name' | 'commit'>,
  values: Readonly<Record<Exclude<Placeholder, 'plan'>, string>>,
): string {
  if (commit === undefined) return values.title;
  const all: Readonly<Record<Placeholder, string>> = { ...values, plan: name };
  const subject = (title: string): string =>
    plainLine(
      commit.replace(placeholder, (written, key: string) =>
        key === 'title' ? title : isPlaceholder(key) ? all[key] : written,
      ),
    );
  const whole = subject(all.title);
  const over = [...whole].length - longest;
  if (over <= 0) return whole === '' ? all.title : whole;
  const room = Math.max(1, [...all.title].length - over);
  return cut(subject(cut(all.title, room)), longest);
}

const cut = (text: string, most: number): string =>
  [...text].length <= most
    ? text
    : `${[...text]
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;

const placeholder = /\{([^{}]*)\}/g;
const isPlaceholder = (name: string): name is Placeholder => (subjectPlaceholders as readonly string[]).includes(name);

/**
 * Returns the title of a task: the first line of its brief that says something, without markdown's marks. A heading that every brief has
 * says nothing. Without such a line the title is the id.
 */
export function titleOf({ id, directive }: Pick<PlannedTask, 'id' | 'directive'>): string {
  const body = directive.text.replace(/^---\n[\s\S]*?\n---\n/, '');
  const line = body
    .split('\n')
    .filter((text) => !sectionHeading.test(text))
    .map((text) => text.replace(/^[#>*\s-]+/, '').trim())
    .find((text) => text !== '');
  const title = plainLine(line ?? id) || id;
  return title.length <= longest ? title : `${title.slice(0, longest - 1).trimEnd()}…`;
}

const sectionHeading = /^\s*#{1,6}\s+(goal|scope|acceptance)s?\s*:?\s*$/i;
