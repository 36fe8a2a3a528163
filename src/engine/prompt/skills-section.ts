import { safeLine } from '../../domain/base/safe-text.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import { cutList, cutText, type List, type Section, wholeList } from './budget.ts';

/** By path, so that agents which know nothing of skills have them too. */
export function skillsSection({ skills = [] }: PlannedTask): Section {
  if (skills.length === 0) return { text: '' };
  const list: List = {
    head: '## Skills\n\nHow such work is done in this project. Read these files first, and keep to them:',
    items: skills.map(({ path, description }) => {
      const about = description === '' ? '' : `: ${cutText(safeLine(description), 300)}`;
      return `- \`${safeLine(path)}\`${about}`;
    }),
    foot: (left) => (left === 0 ? '' : `- and ${left} more beside them`),
  };
  return { text: wholeList(list), cut: (room) => cutList(list, room) };
}
