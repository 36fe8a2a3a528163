import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Whether an address belongs to the world at large: not to this machine, its network, a provider's metadata service, or nobody.
 * A name that leads to one of those is refused, whoever answered for the name.
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
/** Only 2000::/3 is given out; within it, what carries other addresses in disguise is not public either. */
const v6 = ['::/3', '4000::/2', '8000::/1', '2001::/32', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Apart, because a list with both holds IPv4 addresses against ranges of IPv6 too. */
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
