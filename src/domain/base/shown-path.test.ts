import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfShown, shownPath } from './paths.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a plain path is shown as it is, and one that a terminal would act on or hide as git quotes it', () => {
  expect(shownPath(bytes('src/été.ts'))).toBe('src/été.ts');
  expect(shownPath(bytes('a b\\c'))).toBe('a b\\c');
  expect(shownPath(Uint8Array.of(0x63, 0xe9))).toBe('"c\\351"');
  expect(shownPath(bytes('two\nlines'))).toBe('"two\\012lines"');
  expect(shownPath(bytes('"quoted"'))).toBe('"\\042quoted\\042"');
  expect(shownPath(bytes('rtl\u202e'))).toBe('"rtl\\342\\200\\256"');
});

test('what is shown can be typed back, and no two paths look the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (path) => {
      expect(bytesOfShown(shownPath(path))).toEqual(Uint8Array.from(path));
    }),
  );
});

test.each(['"', '"a', '"a\\', '"\\9"', '"\\400"', '"é"', '"a"b"'])('%s is shown for no path', (typed) => {
  expect(bytesOfShown(typed)).toBeNull();
});
