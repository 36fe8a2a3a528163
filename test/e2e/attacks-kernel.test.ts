import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOpenToAll } from '../support/open-to-all.ts';
import { supervisedScene } from '../support/supervised.ts';
import { triedIn, tries, wayThrough } from '../support/tries.ts';

const program = resolve(import.meta.dirname, '../support/as-stranger.ts');
const isRoot = process.getuid?.() === 0;
const stranger = 54321;
const people =
  isRoot && isOpenToAll(program) && isOpenToAll(process.execPath) ? [0, stranger] : [process.getuid?.() ?? 0];

/** One system call; the try succeeds when the kernel does not refuse it. Texts and buffers are passed by address. */
const call = (name: keyof typeof numbers, ...args: readonly (number | string)[]): string => {
  const variables = args
    .map((arg, index) => `my $a${index} = ${typeof arg === 'number' ? arg : `"${arg}"`};`)
    .join(' ');
  const list = args.map((_, index) => `, $a${index}`).join('');
  return `/usr/bin/perl -e '${variables} exit(syscall(${numberOf(name)}${list}) >= 0 ? 0 : 7)'`;
};
/** On x64, on arm64. */
const numbers = {
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  pidfd_open: [434, 434],
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  socket: [41, 198],
} as const;
const numberOf = (name: keyof typeof numbers): number => numbers[name][process.arch === 'arm64' ? 1 : 0];
const zeroes = '\\0'.repeat(128);

const attacks = (outside: number): Readonly<Record<string, string>> => ({
  // the keys of whoever started us
  'request-key': call('request_key', 'user', 'tidegate-secret', 0, 0),
  'read-session-keyring': call('keyctl', 11, -3, zeroes, 128),
  'describe-session-keyring': call('keyctl', 6, -3, zeroes, 128),
  'read-user-keyring': call('keyctl', 11, -4, zeroes, 128),
  'add-key': call('add_key', 'user', 'planted', 'x', 1, -3),
  'list-keys': 'grep . /proc/keys || grep . /proc/key-users',
  // processes outside
  'ptrace-outside': call('ptrace', 16, outside, 0, 0),
  'read-memory-outside': `/usr/bin/perl -e 'my $to = "x" x 8; my ($a, $b) = (pack("PQ", $to, 8), pack("PQ", $to, 8)); exit(syscall(${numberOf('process_vm_readv')}, ${outside}, $a, 1, $b, 1, 0) >= 0 ? 0 : 7)'`,
  'pidfd-outside': call('pidfd_open', outside, 0),
  'root-outside': `ls /proc/${outside}/root/`,
  'trace-without-filter': 'grep "^Seccomp:.*0" /proc/*/status',
  // ways into the kernel
  'perf-events': call('perf_event_open', `\\1\\0\\0\\0\\x70${'\\0'.repeat(123)}`, 0, -1, -1, 0),
  bpf: call('bpf', 0, zeroes, 128),
  userfaultfd: call('userfaultfd', 1),
  'io-uring': call('io_uring_setup', 1, zeroes),
  // S11: sockets that no network namespace keeps in; 40 leads to the machine that this one runs on
  'socket-vsock': call('socket', 40, 1, 0),
  'socket-vsock-wide': call('socket', 2 ** 32 + 40, 1, 0),
  'socket-crypto': call('socket', 38, 5, 0),
  'socket-bluetooth': call('socket', 31, 3, 1),
  'write-sysctl':
    'for name in kernel/hostname vm/drop_caches user/max_user_namespaces; do echo 1 > /proc/sys/$name && exit 0; done; exit 7',
  'mount-sysfs': `unshare -Urmn sh -c 'mkdir -p /tmp/m; mount -t sysfs s /tmp/m'`,
  'mount-procfs': `unshare -Urmpf sh -c 'mkdir -p /tmp/m; mount -t proc p /tmp/m'`,
  'uncover-mounts': `unshare -Urm sh -c 'umount -l /proc/keys || umount -l /proc/sys || umount -l /run'`,
  sysfs: 'ls /sys',
  'cgroup-files': 'ls /sys/fs/cgroup',
  'leave-cgroup': `unshare -UrmC sh -c 'mkdir -p /tmp/g; mount -t cgroup2 g /tmp/g && echo $$ > /tmp/g/cgroup.procs'`,
  'freeze-cgroup': `unshare -UrmC sh -c 'mkdir -p /tmp/g; mount -t cgroup2 g /tmp/g && echo 1 > /tmp/g/cgroup.freeze'`,
  // what it was started with
  devices: `ls /dev | grep -vxE "core|fd|full|null|ptmx|pts|random|shm|std(in|out|err)|tty|urandom|zero"`,
  'real-devices': 'find /dev/ -type b | grep . || cat /dev/core',
  'own-terminal': 'echo x > /dev/tty',
  'type-into-terminal': `/usr/bin/perl -e 'my $x = "x"; exit((grep { ioctl($_, 0x5412, $x) } (*STDIN, *STDOUT, *STDERR)) ? 0 : 7)'`,
  descriptors: `/usr/bin/perl -e 'exit((grep { -e "/proc/self/fd/$_" } 4 .. 1023) ? 0 : 7)'`,
  'write-stdin': 'echo x > /proc/$PPID/fd/0',
  'open-stdin-for-all': 'chmod 666 /proc/$PPID/fd/0',
  'read-stdout': 'timeout 1 head -c1 /proc/$PPID/fd/2',
});

/** Starts a program in a session whose keyring holds a secret, as a desktop or a login with Kerberos does. */
const withKey = [
  'my ($type, $name, $value, $add, $keyctl) = ("user", "tidegate-secret", "hidden", splice @ARGV, 0, 2);',
  'syscall($keyctl, 1, 0) >= 0 && syscall($add, $type, $name, $value, 6, -3) >= 0 or die "no keyring: $!";',
  'exec @ARGV',
].join(' ');

describe.each(people)('an agent whose person has the uid %i', (uid) => {
  test('reaches no key, process, device, descriptor or part of the kernel beyond its fence', () => {
    const outside = spawn('/bin/sleep', ['600'], { uid, gid: uid, stdio: 'ignore' });
    try {
      const list = attacks(outside.pid ?? 0);
      const keys = [numberOf('add_key'), numberOf('keyctl')].map(String);
      const script = `${tries(list)}\ntidegate handoff done -m x; cat tries.txt`;
      const run = spawnSync('/usr/bin/perl', ['-e', withKey, ...keys, process.execPath, program, script], {
        ...(isRoot ? { uid, gid: uid } : {}),
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', TMPDIR: '/tmp' },
      });
      expect(run.stderr).toBe('');
      const { ending, output } = JSON.parse(run.stdout);
      expect(ending).toMatchObject({ reason: 'exited', code: 0 });
      const lines = (output as string).split('\n').filter((line) => line.includes('\t'));
      expect(wayThrough(triedIn(lines), list)).toEqual([]);
      expect(outside.exitCode).toBeNull();
    } finally {
      outside.kill('SIGKILL');
    }
  });
});

test('with its network on, an agent reaches loopback and abstract sockets of this machine, as security.md says', async () => {
  const loopback = createServer().listen(0, '127.0.0.1');
  const listening = [createServer().listen('\0tidegate-reachable'), loopback];
  await Promise.all(listening.map((server) => once(server, 'listening')));
  const { port } = loopback.address() as { port: number };
  const dial = (to: string): string =>
    `/run/tidegate/node -e "require('net').connect(${to}).on('connect',()=>{console.log('reached');process.exit()}).on('error',(e)=>{console.log(e.code)})"`;
  try {
    await using scene = await supervisedScene();
    const fence = { mode: 'auto', network: 'on', read: [], write: [], env: [] } as const;
    const script = [dial(`'\\0tidegate-reachable'`), dial(`${port},'127.0.0.1'`), 'tidegate handoff done -m x'].join(
      ';',
    );
    const { output } = await scene.run({ argv: ['/bin/sh', '-c', script], fence });
    expect(output.split('\n').slice(0, 2)).toEqual(['reached', 'reached']);
  } finally {
    for (const server of listening) server.close();
  }
});
