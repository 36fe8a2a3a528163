import { FenceUnavailable } from './host.ts';

/**
 * A seccomp program for bubblewrap: system calls that no namespace keeps apart from the host answer "not implemented", which
 * is what programs that can do without them expect from an older kernel. Keyrings are the reason: a session keyring is
 * inherited through every change of user and namespace, and whoever holds it reads its keys. The others are seldom needed and
 * often the way into the kernel. Namespaces and mounts stay allowed, because agents bring sandboxes of their own.
 * A way of calling that is in no table is refused altogether.
 */
export function callFilter(machine: string = process.arch): Buffer {
  const tables = machines[machine];
  if (tables === undefined) throw new FenceUnavailable({ rule: 'unknown-machine', machine });
  const sections = tables.map(({ architecture, calls }) => ({ architecture, numbers: [...calls, ...sameEverywhere] }));
  const total = sections.reduce((sum, { numbers }) => sum + sectionLength(numbers), 1);
  const program: Instruction[] = [load(offsets.architecture)];
  for (const { architecture, numbers } of sections) {
    program.push(unlessEqual(architecture, sectionLength(numbers) - 1), load(offsets.number), and(~x32Bit >>> 0));
    for (const number of numbers) program.push(ifEqual(number, total - program.length - 1));
    program.push(answer(allow));
  }
  return Buffer.concat([...program, answer(refuse | notImplemented)].map(encoded));
}

/** The tables of one machine: its own calls, and those of 32-bit programs on it. */
type Table = { readonly architecture: number; readonly calls: readonly number[] };

/** add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd. `architecture` is AUDIT_ARCH_* of linux/audit.h. */
const machines: Readonly<Record<string, readonly Table[]>> = {
  x64: [
    { architecture: 0xc000003e, calls: [248, 249, 250, 298, 321, 323] },
    { architecture: 0x40000003, calls: [286, 287, 288, 336, 357, 374] },
  ],
  arm64: [
    { architecture: 0xc00000b7, calls: [217, 218, 219, 241, 280, 282] },
    { architecture: 0x40000028, calls: [309, 310, 311, 364, 386, 388] },
  ],
};
/** io_uring_setup, io_uring_enter, io_uring_register: new calls have one number on every machine. */
const sameEverywhere = [425, 426, 427];

/** The x32 variant of x86-64 has this bit in the number of the same call; elsewhere no number reaches it. */
const x32Bit = 0x4000_0000;

/** Fields of `struct seccomp_data`. */
const offsets = { number: 0, architecture: 4 };
const allow = 0x7fff_0000;
const refuse = 0x0005_0000;
const notImplemented = 38;

/** The test of the architecture, two to fetch the number, one per call, the answer. */
const sectionLength = (numbers: readonly number[]): number => 3 + numbers.length + 1;

type Instruction = { readonly code: number; readonly yes: number; readonly no: number; readonly value: number };
const load = (offset: number): Instruction => ({ code: 0x20, yes: 0, no: 0, value: offset });
const and = (value: number): Instruction => ({ code: 0x54, yes: 0, no: 0, value });
const ifEqual = (value: number, skip: number): Instruction => ({ code: 0x15, yes: skip, no: 0, value });
const unlessEqual = (value: number, skip: number): Instruction => ({ code: 0x15, yes: 0, no: skip, value });
const answer = (value: number): Instruction => ({ code: 0x06, yes: 0, no: 0, value });

/** `struct sock_filter`; both machines are little-endian. */
function encoded({ code, yes, no, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
