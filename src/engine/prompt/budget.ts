/** A part of a prompt. `cut` gives as much of it as fits into `room` characters, or nothing; absent: it is never cut. */
export type Section = { readonly text: string; readonly cut?: (room: number) => string };

/** Cut one after the other until the rest fits. What is never cut may exceed the budget by itself. */
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

/** Lines that may be left out, between those that may not. */
export type List = {
  readonly head: string;
  readonly items: readonly string[];
  /** Said after them, when so many are left out. */
  readonly foot: (left: number) => string;
};

export const wholeList = (list: List): string => listOf(list, list.items.length);

/** As many items as fit, from the first on; nothing when not even one does. */
export function cutList(list: List, room: number): string {
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

/** The beginning of a text, with a sign that there was more. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`;
