import { describe, expect, test } from 'vitest';
import { callFilter } from './filter.ts';
import { FenceUnavailable } from './host.ts';

const allowed = 0x7fff0000;
const notImplemented = 0x00050026;
const unknownFamily = 0x00050061;

type Call = { readonly architecture: number; readonly number: number; readonly first?: number };

/** What the kernel would answer, by the rules of its classic BPF. */
function answerTo(program: Buffer, call: Call): number {
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = { 0: call.number, 4: call.architecture, 16: call.first ?? 0 }[value] ?? -1;
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += program.readUInt8(at * 8 + (accumulator === value ? 2 : 3));
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the program has no end');
}

const x64 = 0xc000003e;
const i386 = 0x40000003;
const arm64 = 0xc00000b7;
const arm = 0x40000028;

describe('the filter of system calls', () => {
  test.each([
    ['x64', x64, 'keyctl', 250],
    ['x64', x64, 'io_uring_setup', 425],
    ['x64', x64, 'keyctl by the x32 variant', 250 + 0x40000000],
    ['x64', i386, 'keyctl of a 32-bit program', 288],
    ['x64', i386, 'io_uring_register of a 32-bit program', 427],
    ['arm64', arm64, 'add_key', 217],
    ['arm64', arm, 'keyctl of a 32-bit program', 311],
    ['x64', 0x8000_0016, 'any call of an unknown kind', 1],
    ['x64', arm64, 'any call of another machine', 0],
  ])('on %s (%i) refuses %s', (machine, architecture, _name, number) => {
    expect(answerTo(callFilter(machine), { architecture, number })).toBe(notImplemented);
  });
  test.each([
    ['x64', x64, 'write', 1],
    ['x64', x64, 'ptrace', 101],
    ['x64', x64, 'unshare', 272],
    ['x64', x64, 'what is keyctl for 32-bit programs', 288],
    ['x64', i386, 'what is keyctl for 64-bit programs', 250],
    ['arm64', arm64, 'write', 64],
    ['arm64', arm, 'write', 4],
  ])('on %s (%i) lets %s through', (machine, architecture, _name, number) => {
    expect(answerTo(callFilter(machine), { architecture, number })).toBe(allowed);
  });
  test.each([
    ['x64', x64, 41, 53],
    ['x64', x64, 41 + 0x40000000, 53 + 0x40000000],
    ['x64', i386, 359, 360],
    ['arm64', arm64, 198, 199],
    ['arm64', arm, 281, 288],
  ])(
    'S11: on %s (%i) lets sockets through that a network namespace keeps apart, and no other',
    (machine, architecture, ...calls) => {
      for (const number of calls) {
        const open = Array.from({ length: 64 }, (_, family) => family).filter(
          (first) => answerTo(callFilter(machine), { architecture, number, first }) === allowed,
        );
        expect(open).toEqual([0, 1, 2, 10, 16]);
        expect(answerTo(callFilter(machine), { architecture, number, first: 40 })).toBe(unknownFamily);
      }
    },
  );
  test('S11: refuses the call of 32-bit programs by which a family cannot be seen', () => {
    expect(answerTo(callFilter('x64'), { architecture: i386, number: 102 })).toBe(notImplemented);
  });
  test('refuses exactly nine calls of each table, and one more to 32-bit programs of x64', () => {
    for (const [machine, architecture, count] of [
      ['x64', x64, 9],
      ['x64', i386, 10],
      ['arm64', arm64, 9],
      ['arm64', arm, 9],
    ] as const) {
      const refused = Array.from({ length: 600 }, (_, number) => number).filter(
        (number) => answerTo(callFilter(machine), { architecture, number }) !== allowed,
      );
      expect(refused).toHaveLength(count);
    }
  });
  test('of a machine that it does not know cannot be made', () => {
    expect(() => callFilter('s390x')).toThrow(FenceUnavailable);
  });
});
