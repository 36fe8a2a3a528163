import { FenceUnavailable } from './host.ts';

/**
 * Returns a seccomp program for bubblewrap. System calls that no namespace separates from the host fail with "not implemented", as in
 * an older kernel. Keyrings are the reason: a session keyring is inherited through every change of user and namespace, and its keys
 * can be read. The other calls are seldom needed and often the way into the kernel. Namespaces and mounts stay allowed, because agents
 * bring their own sandboxes. Sockets are limited to the families that a network namespace separates; any other, such as AF_VSOCK to
 * the host of a virtual machine, fails as unknown. Calls by an architecture that is in no table are refused.
 */
export function callFilter(machine: string = process.arch): Buffer {
  const tables = machines[machine];
  if (tables === undefined) throw new FenceUnavailable({ rule: 'unknown-machine', machine });
  const sections = tables.map((table) => ({ ...table, numbers: [...table.calls, ...sameEverywhere] }));
  const total = sections.reduce((sum, { numbers }) => sum + sectionLength(numbers), 1);
  const program: Instruction[] = [load(offsets.architecture)];
  for (const { architecture, numbers, sockets } of sections) {
    program.push(unlessEqual(architecture, sectionLength(numbers) - 1), load(offsets.number), and(~x32Bit >>> 0));
    for (const number of numbers) program.push(ifEqual(number, total - program.length - 1));
    program.push(...sockets.map((number, index) => ifEqual(number, sockets.length - index)), answer(allow));
    program.push(load(offsets.family), ...families.map((family, index) => ifEqual(family, families.length - index)));
    program.push(answer(refuse | unknownFamily), answer(allow));
  }
  return Buffer.concat([...program, answer(refuse | notImplemented)].map(encode));
}

/** The calls of one architecture. A machine has two tables: its own, and that of 32-bit programs. */
type Table = {
  readonly architecture: number;
  readonly calls: readonly number[];
  /** The calls socket and socketpair, whose first argument is the family. */
  readonly sockets: readonly [number, number];
};

/**
 * add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd; of 32-bit programs on x64 also socketcall (102), whose arguments
 * cannot be seen. `architecture` is AUDIT_ARCH_* of linux/audit.h.
 */
const machines: Readonly<Record<string, readonly Table[]>> = {
  x64: [
    { architecture: 0xc000003e, calls: [248, 249, 250, 298, 321, 323], sockets: [41, 53] },
    { architecture: 0x40000003, calls: [102, 286, 287, 288, 336, 357, 374], sockets: [359, 360] },
  ],
  arm64: [
    { architecture: 0xc00000b7, calls: [217, 218, 219, 241, 280, 282], sockets: [198, 199] },
    { architecture: 0x40000028, calls: [309, 310, 311, 364, 386, 388], sockets: [281, 288] },
  ],
};
/** io_uring_setup, io_uring_enter, io_uring_register: new calls have one number on every machine. */
const sameEverywhere = [425, 426, 427];

/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [0, 1, 2, 10, 16];

/** The x32 variant of x86-64 has this bit in the number of the same call; elsewhere no number reaches it. */
const x32Bit = 0x4000_0000;

/** Fields of `struct seccomp_data`; `family` is the lower half of the first argument, which is all that the kernel looks at. */
const offsets = { number: 0, architecture: 4, family: 16 };
const allow = 0x7fff_0000;
const refuse = 0x0005_0000;
const notImplemented = 38;
const unknownFamily = 97;

/** Counts instructions: architecture test, two to load the number, one per call and socket, an answer, the family, one per family, two answers. */
const sectionLength = (numbers: readonly number[]): number => 3 + numbers.length + 2 + 1 + 1 + families.length + 2;

type Instruction = { readonly code: number; readonly yes: number; readonly no: number; readonly value: number };
const load = (offset: number): Instruction => ({ code: 0x20, yes: 0, no: 0, value: offset });
const and = (value: number): Instruction => ({ code: 0x54, yes: 0, no: 0, value });
const ifEqual = (value: number, skip: number): Instruction => ({ code: 0x15, yes: skip, no: 0, value });
const unlessEqual = (value: number, skip: number): Instruction => ({ code: 0x15, yes: 0, no: skip, value });
const answer = (value: number): Instruction => ({ code: 0x06, yes: 0, no: 0, value });

/** `struct sock_filter`; both machines are little-endian. */
function encode({ code, yes, no, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
