import { safeJson, safeLine, safeText } from '../../domain/base/safe-text.ts';
import { maskShapes, maskTexts } from '../../domain/secrets/secret-shapes.ts';
import type { LiveRegion, Span, Terminal, Text } from '../../ports/terminal.ts';
import type { DrawnRegion } from './live-region.ts';
import { readSecret } from './secret.ts';
import { discardTypedAhead } from './typed-ahead.ts';

type TerminalOptions = {
  /** Opened only for a question, or when there may be one. */
  readonly stdin: () => NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** NO_COLOR, FORCE_COLOR and TERM decide about colours. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nobody reads standard output any more: a following command has no reason to go on. */
  readonly onReaderGone: () => void;
  /** Ctrl-C during a question: the terminal is then in raw mode, and sends no signal itself. */
  readonly onInterrupt: () => void;
};

type OpenTerminal = Terminal & {
  /** After the last command: keys that were meant for a screen that is gone do not reach the shell. */
  leave(): Promise<void>;
};

/** Plain lines in a pipe; colours and a region that is drawn over on a terminal. */
export function openTerminal(options: TerminalOptions): OpenTerminal {
  const { stdin, stdout, stderr, env } = options;
  const redraws = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const paintOut = painter(hasColour(stdout, env));
  const paintErr = painter(hasColour(stderr, env));
  let gone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    // a terminal that was hung up answers with EIO
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    if (gone) return;
    gone = true;
    options.onReaderGone();
  };
  stdout.on('error', onError);
  stderr.on('error', onError);
  const write = (text: string): void => {
    if (!gone) stdout.write(text);
  };
  let hadScreen = false;
  let isWatched = false;
  /** The mode of a terminal that was hung up cannot be set, which is an error of its input. */
  const keyboard = (): NodeJS.ReadStream => {
    if (!isWatched) stdin().on('error', onError);
    isWatched = true;
    return stdin();
  };
  const regions = new Set<DrawnRegion>();
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });

  const above = (print: () => void): void => {
    for (const region of regions) region.hide();
    print();
    for (const region of regions) region.show();
  };

  return {
    get interactive() {
      return stdout.isTTY === true && stdin().isTTY === true;
    },
    line: (text = '') => above(() => write(`${indented(paintOut(text))}\n`)),
    problem: (text) => above(() => stderr.write(`${indented(paintErr(text))}\n`)),
    json: (document) => write(`${safeJson(maskTexts(document))}\n`),
    paint: (lines) => lines.map((line) => `${indented(paintOut(line))}\n`).join(''),
    region: async () => {
      if (!redraws) return nothingDrawn;
      // measuring text takes tables that a command in a pipe does not need
      const { liveRegion } = await import('./live-region.ts');
      const region = liveRegion({ write, size, paint: paintOut });
      regions.add(region);
      const close = (keep: boolean): void => {
        region.close(keep);
        regions.delete(region);
      };
      return { draw: region.draw, close, [Symbol.dispose]: () => close(true) };
    },
    screen: async (events) => {
      if (!redraws || stdin().isTTY !== true) return null;
      const { openScreen } = await import('./screen/index.tsx');
      await discardTypedAhead(keyboard(), options.onInterrupt);
      // who paused the input lets go of the keyboard in a later tick, and would take it from the screen
      await new Promise((resolve) => setImmediate(resolve));
      hadScreen = true;
      return openScreen({ stdin: stdin(), stdout, colour: hasColour(stdout, env), ...events });
    },
    ask: async (question) => {
      if (stdin().isTTY !== true) return null;
      await discardTypedAhead(keyboard(), options.onInterrupt);
      const { createInterface } = await import('node:readline');
      const lines = createInterface({ input: stdin(), output: stderr });
      try {
        return await new Promise<string | null>((resolve) => {
          lines.once('close', () => resolve(null));
          lines.once('SIGINT', () => {
            options.onInterrupt();
            lines.close();
          });
          lines.question(`${safeLine(question)} `, resolve);
        });
      } finally {
        lines.close();
      }
    },
    askSecret: async (question) => {
      if (stdin().isTTY !== true) return null;
      const asking = (): void => void stderr.write(`${safeLine(question)} `);
      const answer = await readSecret(stdin(), { asking, interrupted: options.onInterrupt });
      stderr.write('\n');
      return answer;
    },
    leave: async () => {
      if (hadScreen && !gone && stdin().isTTY === true) await discardTypedAhead(keyboard(), () => undefined);
    },
  };
}

/** The live region of a stream that cannot be drawn over. Nothing is fitted: a run in a pipe draws as often as one on a screen. */
const nothingDrawn: LiveRegion = { draw: () => undefined, close: () => undefined, [Symbol.dispose]: () => undefined };

function hasColour(stream: NodeJS.WriteStream, env: TerminalOptions['env']): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

const codes: Record<Span['tone'], string> = { good: '32', bad: '31', waiting: '33', dim: '2', strong: '1' };

const painter =
  (colour: boolean) =>
  (text: Text): string =>
    typeof text === 'string'
      ? shown(text)
      : text
          .map((part) => {
            if (typeof part === 'string') return shown(part);
            return colour ? `\x1b[${codes[part.tone]}m${shown(part.text)}\x1b[0m` : shown(part.text);
          })
          .join('');

/** Words of others may have several lines. None of them starts at the left, where the lines of Tidegate do. */
const indented = (text: string): string => text.replaceAll(/\n(?=[^\s])/g, '\n  ');

/** Files are shown as well, and are not masked where they lie. */
const shown = (text: string): string => maskShapes(safeText(text));
