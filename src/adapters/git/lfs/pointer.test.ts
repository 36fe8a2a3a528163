import { describe, expect, test } from 'vitest';
import { isPointer, parsePointer, pointerText } from './attributes.ts';

const oid = 'ab'.repeat(32);
const pointer = { oid, size: 12 };
const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`;
const extended = text.replace('oid', `ext-0-crypt sha256:${oid}\noid`);

test('what is written is what git-lfs writes, and is read again', () => {
  expect(pointerText(pointer).toString()).toBe(text);
  expect(parsePointer(pointerText(pointer))).toEqual(pointer);
});

describe('taken for a pointer:', () => {
  test.each([
    ['CRLF', text.replaceAll('\n', '\r\n')],
    ['no line end', text.trimEnd()],
    ['space around it', `\n${text}\n\n`],
    ['an old version line', text.replace('git-lfs.github.com', 'hawser.github.com')],
  ])('%s', (_, other) => expect(parsePointer(Buffer.from(other))).toEqual(pointer));
});

describe('not taken for a pointer:', () => {
  test.each([
    ['nothing', ''],
    ['a short hash', text.replace(oid, '00')],
    ['another version', text.replace('spec/v1', 'spec/v9')],
    ['another hash', text.replace('sha256', 'sha512')],
    ['one more line', `${text}more 1\n`],
    ['a negative size', text.replace('12', '-1')],
    ['something before it', `x\n${text}`],
    ['more than 1024 bytes', `${text}${' '.repeat(1024)}`],
  ])('%s', (_, other) => {
    expect(parsePointer(Buffer.from(other))).toBeNull();
    expect(isPointer(Buffer.from(other))).toBe(false);
  });
});

test('a pointer with extensions is one, but nothing here can restore its content', () => {
  expect(isPointer(Buffer.from(extended))).toBe(true);
  expect(parsePointer(Buffer.from(extended))).toBeNull();
});
