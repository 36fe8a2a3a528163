import { plainLine } from '../base/safe-text.ts';
import type { PlannedTask } from './plan.ts';

/**
 * What a task is about, in its own words and one line: the first of its brief that says something, without markdown's marks.
 * A heading that every brief has says nothing. The task's id when there is no such line.
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
const longest = 72;
