import stringWidth from 'string-width';
import type { TaskId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { Size, Span, Text } from '../../ports/terminal.ts';

export type PaneKind = 'transcript' | 'log' | 'diff' | 'why' | 'help';

/** A long text that fills the screen. Without a task it is about the run. */
export type Pane = {
  readonly kind: PaneKind;
  readonly task: TaskId | null;
  /** Null until it was read for the first time. */
  readonly lines: readonly Text[] | null;
  /** The first visible line; null stays at the end while the text grows. */
  readonly top: number | null;
};

export const openPane = (kind: PaneKind, task: TaskId | null): Pane => ({
  kind,
  task,
  lines: null,
  top: isFollowed(kind) ? null : 0,
});

const isFollowed = (kind: PaneKind): boolean => kind === 'transcript' || kind === 'log';

/** Lines of a pane beside its text: title, two rules, keys. */
const frameLines = 4;
const paneRoom = ({ rows }: Size): number => Math.max(1, rows - frameLines);

export function scroll(pane: Pane, typed: string, size: Size): Pane {
  const room = paneRoom(size);
  const end = Math.max(0, wrapped(pane.lines ?? [], size.columns).length - room);
  const top = Math.min(pane.top ?? end, end);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    'page-up': -room,
    b: -room,
    'page-down': room,
    ' ': room,
    home: -top,
    g: -top,
    end: end - top,
    G: end - top,
  };
  const step = steps[typed];
  if (step === undefined) return pane;
  const next = Math.max(0, Math.min(end, top + step));
  return { ...pane, top: next >= end && isFollowed(pane.kind) ? null : next };
}

/** Returns the visible lines, and their place in the whole text. */
export function visible(pane: Pane, size: Size): { readonly lines: readonly Text[]; readonly place: string } {
  const all = wrapped(pane.lines ?? [], size.columns);
  const room = paneRoom(size);
  const top = Math.min(pane.top ?? Number.POSITIVE_INFINITY, Math.max(0, all.length - room));
  const lines = all.slice(top, top + room);
  const place = all.length <= room ? '' : `${top + 1}-${top + lines.length} of ${all.length}`;
  return { lines, place };
}

const wrapCache = new WeakMap<readonly Text[], { readonly columns: number; readonly lines: readonly Text[] }>();

/** Wraps a text once per width: texts never change. */
function wrapped(texts: readonly Text[], columns: number): readonly Text[] {
  const cached = wrapCache.get(texts);
  if (cached?.columns === columns) return cached.lines;
  const lines = texts.flatMap((text) => wrap(text, columns));
  wrapCache.set(texts, { columns, lines });
  return lines;
}

/** Breaks a line into lines that fit, at a space if there is one in the last third. */
export function wrap(text: Text, columns: number): readonly Text[] {
  const lines: (string | Span)[][] = [[]];
  let left = columns;
  for (const part of typeof text === 'string' ? [text] : text) {
    let rest = safeLine((typeof part === 'string' ? part : part.text).replaceAll('\t', '    '));
    while (rest !== '') {
      const fits = headOf(rest, left, left === columns);
      rest = rest.slice(fits.length);
      lines.at(-1)?.push(typeof part === 'string' ? fits : { ...part, text: fits });
      left -= stringWidth(fits);
      if (rest === '') break;
      lines.push([]);
      left = columns;
    }
  }
  return lines;
}

function headOf(text: string, columns: number, isWholeLine: boolean): string {
  if (stringWidth(text) <= columns) return text;
  let end = 0;
  let width = 0;
  for (const character of text) {
    width += stringWidth(character);
    if (width > columns) break;
    end += character.length;
  }
  const space = text.lastIndexOf(' ', end - 1);
  if (space > end * (2 / 3)) return text.slice(0, space + 1);
  // only a screen that is narrower than one character fits nothing at all
  return end === 0 && isWholeLine ? text.slice(0, 1) : text.slice(0, end);
}
