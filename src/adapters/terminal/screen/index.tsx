import { type Key as InkKey, render, useInput, usePaste } from 'ink';
import type { Frame, Key, Screen, ScreenEvents, Size } from '../../../ports/terminal.ts';
import { FrameView } from './frame-view.tsx';

export type ScreenOptions = ScreenEvents & {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
};

/** Takes the terminal over by Ink, which gives it back also when the process ends by an error. */
export function openScreen({ stdin, stdout, colour, onKey, onResize }: ScreenOptions): Screen {
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const shown = (frame: Frame) => <Shown frame={frame} size={size()} colour={colour} onKey={onKey} />;
  const instance = render(shown({ head: [], body: [], foot: [] }), {
    stdin,
    stdout,
    alternateScreen: true,
    // The caller has checked that a person is there.
    interactive: true,
    exitOnCtrlC: false,
    incrementalRendering: true,
    maxFps: 15,
  });
  stdout.on('resize', onResize);
  return {
    size,
    draw: (frame) => instance.rerender(shown(frame)),
    [Symbol.dispose]: () => {
      stdout.off('resize', onResize);
      instance.cleanup();
    },
  };
}

type ShownProps = {
  readonly frame: Frame;
  readonly size: Size;
  readonly colour: boolean;
  readonly onKey: (key: Key) => void;
};

function Shown({ frame, size, colour, onKey }: ShownProps) {
  useInput((input, key) => {
    for (const one of keysOf(input, key)) onKey(one);
  });
  usePaste((text) => onKey({ key: 'pasted', text }));
  return <FrameView frame={frame} size={size} colour={colour} />;
}

function keysOf(input: string, key: InkKey): readonly Key[] {
  if (key.ctrl && input === 'c') return [{ key: 'interrupt' }];
  const named = names.find(([name]) => key[name]);
  if (named !== undefined) return [{ key: named[1] }];
  if (key.ctrl) return [];
  // escape and a key soon after it look like that key with alt, which has no meaning of its own here
  return key.meta ? [{ key: 'escape' }, ...characters(input)] : characters(input);
}

/** Splits input into keys: fast typing and slow lines deliver several at once. */
const characters = (text: string): readonly Key[] =>
  [...text].map((character) => controls[character] ?? { key: 'text', text: character });

const controls: Readonly<Record<string, Key>> = {
  '\r': { key: 'enter' },
  '\n': { key: 'enter' },
  '\t': { key: 'tab' },
  '\x7f': { key: 'backspace' },
  '\b': { key: 'backspace' },
  '\x1b': { key: 'escape' },
  '\x03': { key: 'interrupt' },
};

const names = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
  ['tab', 'tab'],
] as const;
