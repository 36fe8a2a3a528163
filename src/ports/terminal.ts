import type { Screen, ScreenEvents } from './screen.ts';

/** A piece of a line with a meaning that a terminal may colour. Plain strings have none. */
export type Span = { readonly text: string; readonly tone: 'good' | 'bad' | 'waiting' | 'dim' | 'strong' };
export type Text = string | readonly (string | Span)[];

/**
 * Where a command speaks. Every text is made safe on the way out, so that no command can forget to,
 * and colours come only from `Span`. After the reader has gone (EPIPE) writing is silently ignored.
 */
export interface Terminal {
  /** A person can be asked: both input and output are a terminal. */
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
  /** The whole terminal with its keys; null where a person cannot be asked or nothing can be drawn over. */
  screen(events: ScreenEvents): Promise<Screen | null>;
  /** The answer without its line end; null when input ended or nobody can be asked. */
  ask(question: string): Promise<string | null>;
  /** The same, and nothing of the answer is shown. White space in it is dropped. */
  askSecret(question: string): Promise<string | null>;
}

export interface LiveRegion extends Disposable {
  /** Replaces the block. Longer lines are cut to the width, more lines than fit are counted in a last one. */
  draw(lines: readonly Text[]): void;
  /** Leaves the last block standing, or wipes it. */
  close(keep: boolean): void;
}
