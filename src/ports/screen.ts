import type { Text } from './terminal.ts';

export type Size = { readonly columns: number; readonly rows: number };

/** A line that may be the marked one. */
export type ScreenRow = { readonly text: Text; readonly isMarked: boolean };

/** All that is on the screen. Head and foot keep their lines, the body has what is left. */
export type Frame = {
  readonly head: readonly Text[];
  readonly body: readonly ScreenRow[];
  readonly foot: readonly Text[];
};

export type Key =
  | {
      readonly key: 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'enter' | 'escape' | 'backspace' | 'tab';
    }
  /** Ctrl-C: on a screen it is a key like any other. */
  | { readonly key: 'interrupt' }
  /** One character. */
  | { readonly key: 'text'; readonly text: string }
  /** Never to be taken for keys: nobody approves by pasting. */
  | { readonly key: 'pasted'; readonly text: string };

/**
 * The whole terminal, until disposed; what was on it before is there again then, and also when the process ends in any
 * other way that can be heard. Lines are cut to the width. Every text is made safe on the way out.
 */
export interface Screen extends Disposable {
  size(): Size;
  draw(frame: Frame): void;
}

export type ScreenEvents = { readonly onKey: (key: Key) => void; readonly onResize: () => void };
