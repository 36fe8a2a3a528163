/** Items that may be left out, between a head and a foot that may not. */
export type TextList = {
  readonly head: string;
  /** The most important first. */
  readonly items: readonly string[];
  /** The last line when `left` items are left out. */
  readonly foot: (left: number) => string;
};

export const listText = ({ head, items, foot }: TextList, kept = items.length): string =>
  [head, ...items.slice(0, kept), foot(items.length - kept)].filter((line) => line !== '').join('\n');

/** Returns as many items as fit into `room` characters, from the first on; '' when not even one does. */
export function cutList(list: TextList, room: number): string {
  let size = list.head.length + 1 + list.items.reduce((sum, item) => sum + item.length + 1, 0);
  let kept = list.items.length;
  // the foot has its length only once the items are known
  while (kept > 0 && size + list.foot(list.items.length - kept).length > room) {
    kept -= 1;
    size -= (list.items[kept]?.length ?? 0) + 1;
  }
  return kept === 0 ? '' : listText(list, kept);
}

/** Returns the beginning of a text, with a sign that there was more. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`;
