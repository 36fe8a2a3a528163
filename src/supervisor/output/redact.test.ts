import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { redactor, redactTexts } from './redact.ts';

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

/** Written in parts, so that no file of ours holds anything that looks like a secret. */
const token = `ghp_${'a1B2'.repeat(9)}`;
const key = `-----BEGIN ${'PRIVATE KEY'}-----\n${`${'aB3x'.repeat(16)}\n`.repeat(20)}aB==\n-----END ${'PRIVATE KEY'}-----`;

function streamed(): { readonly shown: () => string; readonly redact: ReturnType<typeof redactor> } {
  const out: Buffer[] = [];
  const redact = redactor(
    () => ['token-123456', token.slice(0, 20)],
    (chunk) => out.push(Buffer.from(chunk)),
  );
  return { shown: () => Buffer.concat(out).toString(), redact };
}

test('S6: what looks like a credential is never shown, wherever it is cut', () => {
  const pieces = [token, `sk-ant-${'api03-'}${'x'.repeat(40)}`, key, 'ordinary', ' ', '\n', '"', 'token-123456', 'é'];
  const marks = ['[redacted]', '[redacted anthropic-token]', '[redacted private-key]', ...pieces.slice(3)];
  marks[7] = '[redacted]';
  // a value that is known lies within the token: all of the token goes
  const part = fc.nat({ max: pieces.length - 1 });
  fc.assert(
    fc.property(fc.array(part), fc.infiniteStream(fc.integer({ min: 1, max: 60 })), (parts, sizes) => {
      const { shown, redact } = streamed();
      const bytes = Buffer.from(parts.map((at) => `${pieces[at]} `).join(''));
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value;
        redact.write(bytes.subarray(at, at + size));
        at += size;
      }
      redact.end();
      expect(shown()).toBe(parts.map((at) => `${marks[at]} `).join(''));
    }),
  );
});

test('a token that is cut at each of its characters is masked, and its mark names the rule', () => {
  for (let cut = 1; cut < token.length; cut += 1) {
    const out: string[] = [];
    const redact = redactor(
      () => [],
      (chunk) => out.push(Buffer.from(chunk).toString()),
    );
    redact.write(Buffer.from(`a=${token.slice(0, cut)}`));
    redact.write(Buffer.from(`${token.slice(cut)}, b\n`));
    expect(out.join('')).toBe('a=[redacted github-pat], b\n');
  }
});

afterEach(() => {
  vi.useRealTimers();
});

test('only what may be the beginning of a secret is held back, and only for a moment', () => {
  vi.useFakeTimers();
  const { shown, redact } = streamed();
  redact.write(Buffer.from('Password: '));
  expect(shown()).toBe('Password: ');
  redact.write(Buffer.from('a line\n'));
  expect(shown()).toBe('Password: a line\n');
  redact.write(Buffer.from('tok'));
  expect(shown()).toBe('Password: a line\n');
  vi.advanceTimersByTime(300);
  expect(shown()).toBe('Password: a line\ntok');
  redact.write(Buffer.from('en-12'));
  redact.write(Buffer.from('3456 and\n'));
  // the beginning was shown; the rest of it is not
  expect(shown()).toBe('Password: a line\ntok[redacted] and\n');
  redact.write(Buffer.from(` ${key.slice(0, 100)}`));
  vi.advanceTimersByTime(300);
  expect(shown()).toBe('Password: a line\ntok[redacted] and\n [redacted private-key]');
  redact.write(Buffer.from(`${key.slice(100)}\nafter\n`));
  expect(shown()).toBe('Password: a line\ntok[redacted] and\n [redacted private-key]\nafter\n');
});

test('one endless line is passed on as it comes, but for 16 KB', () => {
  const { shown, redact } = streamed();
  redact.write(Buffer.from('sk-ant-'));
  for (let times = 0; times < 100; times += 1) redact.write(Buffer.from('!'.repeat(1_000)));
  expect(shown().length).toBeGreaterThan(100_000 - 17_000);
});

test('in a record both are masked', () => {
  expect(redactTexts({ a: `x token-123456 ${token}`, b: [token] }, ['token-123456'])).toEqual({
    a: 'x [redacted] [redacted github-pat]',
    b: ['[redacted github-pat]'],
  });
});
