/** A piece of a line with a meaning that a terminal may colour. Plain strings have none. */
export type Span = { readonly text: string; readonly tone: 'good' | 'bad' | 'waiting' | 'dim' | 'strong' };
export type Text = string | readonly (string | Span)[];

/**
 * The output of a command. Every text is made safe on the way out, so that no command can forget to,
 * and colours come only from `Span`. Line breaks in a text do not begin a line of ours: what follows is indented. After the reader has gone (EPIPE) writing is silently ignored.
 */
export interface Terminal {
  /** True when a person can be asked: both input and output are a terminal. */
  readonly interactive: boolean;
  /** One result line on standard output. */
  line(text?: Text): void;
  /** One line for people on standard error; results never go there. */
  problem(text: Text): void;
  /** One JSON document on one line of standard output. */
  json(document: unknown): void;
  /** Lines as they would stand on standard output, for a program that shows them there. */
  paint(lines: readonly Text[]): string;
  /** A block at the bottom of the screen that is drawn over. In a pipe nothing of it is shown; lines still are. */
  region(): Promise<LiveRegion>;
  /** The whole terminal with its keys; null when no person can be asked or nothing can be drawn. */
  screen(events: ScreenEvents): Promise<Screen | null>;
  /** Returns the answer without its line end; null when input ended or no person can be asked. */
  ask(question: string): Promise<string | null>;
  /** The same, and nothing of the answer is shown. White space in it is dropped. */
  askSecret(question: string): Promise<string | null>;
}

export interface LiveRegion extends Disposable {
  /** Replaces the block. Longer lines are cut to the width, more lines than fit are counted in a last one. */
  draw(lines: readonly Text[]): void;
  /** Keeps the last block on the screen, or removes it. */
  close(keep: boolean): void;
}

export type Size = { readonly columns: number; readonly rows: number };

/** A line that may be the marked one. */
export type ScreenRow = { readonly text: Text; readonly isMarked: boolean };

/** Everything on the screen. Head and foot keep their lines, and the body gets the rest. */
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
