import { lookup } from 'node:dns/promises';
import { BlockList, connect, isIPv4, isIPv6, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectSecurely } from 'node:tls';
import { explain } from '../../domain/explain/explain.ts';
import type { NetworkFault } from '../../domain/findings/attempt-rules.ts';
import type { FindingOf } from '../../domain/findings/finding.ts';
import {
  canonicalHost,
  type HostPattern,
  hostText,
  isListed,
  type NetworkHost,
} from '../../domain/settings/network-hosts.ts';
import type { Upstream } from './upstream.ts';

export type Target = { readonly host: NetworkHost; readonly port: number };

/** The list of hosts does not allow the target. */
export class Denied extends Error {
  readonly finding: FindingOf<'network'>;
  constructor(fault: NetworkFault) {
    const finding = { rule: 'network', ...fault } as const;
    super(explain(finding).detail);
    this.finding = finding;
  }
}
/** The network failed. */
export class Unreachable extends Error {}

const patience = 30_000;

/** Resolves the name outside the fence and connects to exactly the address that was judged, without a second look-up. */
export async function dial({ host, port }: Target, list: readonly HostPattern[]): Promise<Socket> {
  const addresses = host.kind === 'address' ? [bare(host.address)] : await addressesOf(host.name);
  const allowed = addresses.filter((address) => isPublic(address) || isListedAddress(list, address, port));
  if (allowed.length === 0) throw new Denied({ fault: 'not-public', target: hostText(host), addresses });
  let last: unknown;
  for (const address of allowed.slice(0, 4)) {
    try {
      return await whenOpen(connect({ host: address, port, allowHalfOpen: true }), 'connect');
    } catch (error) {
      last = error;
    }
  }
  throw new Unreachable(messageOf(last));
}

/** Connects to the person's own proxy, which resolves names itself. */
export async function dialUpstream({ secure, host, port }: Upstream): Promise<Socket> {
  try {
    return secure
      ? await whenOpen(connectSecurely({ host, port, servername: host }), 'secureConnect')
      : await whenOpen(connect({ host, port }), 'connect');
  } catch (error) {
    throw new Unreachable(`your own proxy: ${messageOf(error)}`);
  }
}

function isListedAddress(list: readonly HostPattern[], address: string, port: number): boolean {
  const host = canonicalHost(address.includes(':') ? `[${address}]` : address);
  return host !== null && isListed(list, host, port);
}

async function addressesOf(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true, verbatim: false })).map(({ address }) => address);
  } catch (error) {
    throw new Unreachable(messageOf(error));
  }
}

function whenOpen<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(patience, () => fail(new Error('no answer')));
    socket.once('error', fail);
    socket.once(event, () => {
      socket.setTimeout(0).removeListener('error', fail);
      // Until the caller listens, because a connection may break at once.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

const bare = (address: string): string => address.replaceAll(/^\[|\]$/g, '');
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * True for an address on the public internet: not of this machine, its network or a provider's metadata service, and not reserved.
 * A name that resolves to any other address is refused.
 */
export function isPublic(address: string): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (family === 'ipv6' && !isIPv6(address)) return false;
  return !reserved[family].check(address, family) && !ownAddresses().includes(address);
}

/** From the registries of special-purpose addresses. */
const v4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** Only 2000::/3 is assigned; ranges in it that carry other addresses are not public either. */
const v6 = ['::/3', '4000::/2', '8000::/1', '2001::/32', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Two lists, because a single one would check IPv4 addresses against IPv6 ranges too. */
const reserved = { ipv4: listOf(v4, 'ipv4'), ipv6: listOf(v6, 'ipv6') };

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
