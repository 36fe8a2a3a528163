import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openTerminal } from './index.ts';

test('no line break in a text begins a line at the left, on either stream', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = openTerminal({
    ...{ stdin: () => process.stdin, env: {}, onReaderGone: () => {}, onInterrupt: () => {} },
    ...{ stdout: stdout as unknown as NodeJS.WriteStream, stderr: stderr as unknown as NodeJS.WriteStream },
  });
  const forged = 'qa reports concerns: bad\nlanded: all is well\r\n\nexit 0\n  deeper';
  const held = 'qa reports concerns: bad\n  landed: all is well\n\n  exit 0\n  deeper\n';
  terminal.line(forged);
  terminal.line([{ text: 'qa reports ', tone: 'bad' }, forged.slice('qa reports '.length)]);
  terminal.problem(forged);
  expect([String(stdout.read()), String(stderr.read())]).toEqual([held + held, held]);
  expect(terminal.paint([forged])).toBe(held);
});
