/** A part of a prompt. `cut` returns as much of it as fits into `room` characters, or ''. Without `cut` it is never shortened. */
export type Section = { readonly text: string; readonly cut?: (room: number) => string };

/** Shortens the sections of `inTurn` one after the other until the prompt fits. Sections without `cut` may exceed the budget. */
export function fitSections(sections: readonly Section[], inTurn: readonly Section[], characters: number): string {
  const texts = new Map(sections.map((section) => [section, section.text]));
  for (const section of inTurn) {
    const over = joined(texts.values()).length - characters;
    if (over <= 0) break;
    texts.set(section, section.cut?.(section.text.length - over) ?? section.text);
  }
  return joined(texts.values());
}

const joined = (texts: Iterable<string>): string => `${[...texts].filter((text) => text !== '').join('\n\n')}\n`;

/** Items that may be left out, between a head and a foot that may not. */
export type List = {
  readonly head: string;
  readonly items: readonly string[];
  /** The last line when `left` items are left out. */
  readonly foot: (left: number) => string;
};

export const sectionOf = (list: List): Section => ({
  text: listOf(list, list.items.length),
  cut: (room) => cutList(list, room),
});

/** Returns as many items as fit, from the first on; '' when not even one does. */
function cutList(list: List, room: number): string {
  let kept = 0;
  let size = list.head.length + 1 + list.foot(list.items.length).length;
  for (const item of list.items) {
    size += item.length + 1;
    if (size > room) break;
    kept += 1;
  }
  return kept === 0 ? '' : listOf(list, kept);
}

const listOf = ({ head, items, foot }: List, kept: number): string =>
  [head, ...items.slice(0, kept), foot(items.length - kept)].filter((line) => line !== '').join('\n');

/** Returns the beginning of a text, with a sign that there was more. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`;
