import stringWidth from 'string-width';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { Text } from '../../ports/terminal.ts';

type Screen = {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly paint: (text: Text) => string;
};

export type DrawnRegion = ReturnType<typeof liveRegion>;

/** A block at the bottom of the screen. It is never higher than the screen, or moving up would miss its beginning. */
export function liveRegion(screen: Screen) {
  let block: readonly Text[] = [];
  let shown = 0;

  const erase = (): string => {
    const up = shown > 0 ? `\x1b[${shown}A\r\x1b[J` : '';
    shown = 0;
    return up;
  };
  const paint = (): string => {
    const fitted = fitToScreen(block, screen.size());
    shown = fitted.length;
    return fitted.map((line) => `${screen.paint(line)}\n`).join('');
  };

  return {
    hide: (): void => screen.write(erase()),
    show: (): void => screen.write(paint()),
    /** In one write: a half-drawn block would flicker. */
    draw: (lines: readonly Text[]): void => {
      block = lines;
      screen.write(erase() + paint());
    },
    close: (keep: boolean): void => {
      if (!keep) screen.write(erase());
      block = [];
      shown = 0;
    },
  };
}

/** Lines cut to the width, and no more of them than the screen has above the cursor's line. */
export function fitToScreen(lines: readonly Text[], size: { columns: number; rows: number }): readonly Text[] {
  const room = Math.max(1, size.rows - 1);
  const kept = lines.length <= room ? lines : lines.slice(0, room - 1);
  const rest = lines.length - kept.length;
  const all: readonly Text[] = rest > 0 ? [...kept, `… ${rest} more`] : kept;
  return all.map((line) => fitLine(line, size.columns));
}

function fitLine(line: Text, columns: number): Text {
  const fitted: Exclude<Text, string>[number][] = [];
  let left = columns;
  for (const part of typeof line === 'string' ? [line] : line) {
    const text = cut(safeLine(typeof part === 'string' ? part : part.text), left);
    left -= stringWidth(text);
    fitted.push(typeof part === 'string' ? text : { ...part, text });
  }
  return fitted;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts a text to at most `columns`, with `…` where something was left out. */
export function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}
