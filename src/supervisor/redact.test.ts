import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor } from './redact.ts';

const secrets = ['token-123456', 'another-secret', 'short'];

function redacted(chunks: readonly Uint8Array[]): string {
  const out: Buffer[] = [];
  const redact = redactor(
    () => secrets,
    (chunk) => out.push(Buffer.from(chunk)),
  );
  for (const chunk of chunks) redact.write(chunk);
  redact.end();
  return Buffer.concat(out).toString('latin1');
}

test('a value is never shown, wherever the chunks are cut, and nothing else is changed', () => {
  const piece = fc.oneof(
    fc.constantFrom('token-123456', 'another-secret', 'token-12345', 'short', '\n'),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (pieces, sizes) => {
      const bytes = Buffer.from(pieces.join(''));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const expected = bytes.toString('latin1').replaceAll(/token-123456|another-secret/g, '[redacted]');
      expect(redacted(chunks)).toBe(expected);
    }),
  );
});

test('a value counts from the chunk on before which it became known', () => {
  const out: Buffer[] = [];
  let known: readonly string[] = [];
  const redact = redactor(
    () => known,
    (chunk) => out.push(Buffer.from(chunk)),
  );
  redact.write(Buffer.from('token-1 token-2 '));
  known = ['token-number-1'];
  redact.write(Buffer.from('token-number-1 token-num'));
  redact.write(Buffer.from('ber-1 token-number-2 is not known; '));
  known = ['token-number-1', 'token-number-2-long'];
  redact.write(Buffer.from('token-number-2-lo'));
  redact.write(Buffer.from('ng token-number-1'));
  redact.end();
  expect(Buffer.concat(out).toString()).toBe(
    'token-1 token-2 [redacted] [redacted] token-number-2 is not known; [redacted] [redacted]',
  );
});
