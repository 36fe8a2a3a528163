import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
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
import { isPublic } from './addresses.ts';
import type { Upstream } from './upstream.ts';

export type Target = { readonly host: NetworkHost; readonly port: number };

/** Not to be reached, as a rule; anything else that goes wrong is the network's. */
export class Denied extends Error {
  readonly finding: FindingOf<'network'>;
  constructor(fault: NetworkFault) {
    const finding = { rule: 'network', ...fault } as const;
    super(explain(finding).detail);
    this.finding = finding;
  }
}
export class Unreachable extends Error {}

const patience = 30_000;

/** Resolves the name here, outside, and connects to exactly the address that was judged: a second answer is never asked for. */
export async function dial({ host, port }: Target, list: readonly HostPattern[]): Promise<Socket> {
  const found = host.kind === 'address' ? [bare(host.address)] : await addressesOf(host.name);
  const allowed = found.filter((address) => isPublic(address) || isListedAddress(list, address, port));
  if (allowed.length === 0) throw new Denied({ fault: 'not-public', target: hostText(host), addresses: found });
  let last: unknown;
  for (const address of allowed.slice(0, 4)) {
    try {
      return await opened(connect({ host: address, port, allowHalfOpen: true }), 'connect');
    } catch (error) {
      last = error;
    }
  }
  throw new Unreachable(messageOf(last));
}

/** A connection to the person's own proxy, which resolves names by itself. */
export async function dialUpstream({ secure, host, port }: Upstream): Promise<Socket> {
  try {
    return secure
      ? await opened(connectSecurely({ host, port, servername: host }), 'secureConnect')
      : await opened(connect({ host, port }), 'connect');
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

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(patience, () => fail(new Error('no answer')));
    socket.once('error', fail);
    socket.once(event, () => {
      socket.setTimeout(0).removeListener('error', fail);
      // Until the caller listens: a connection may break at once.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

const bare = (address: string): string => address.replaceAll(/^\[|\]$/g, '');
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
