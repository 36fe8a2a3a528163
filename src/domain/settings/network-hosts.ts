import { agentKinds } from '../../agents/agents.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { agentsIn, type FrozenPlan } from '../plan/plan.ts';

/**
 * The list in `fence.network`. Hosts are compared in one canonical form, so that no other spelling of a name or an address means
 * something else to the list than to the network.
 */
export type NetworkHost =
  | { readonly kind: 'name'; readonly name: string }
  /** IPv4 with dots, or IPv6 in brackets and as short as can be; an IPv4 address inside IPv6 is that IPv4 address. */
  | { readonly kind: 'address'; readonly address: string };

/** `example.org`, `*.example.org`, `example.org:8443`, `10.0.0.5`, `[::1]:3000`. */
export type HostPattern = {
  readonly host: NetworkHost;
  /** Every name below it, itself not. */
  readonly below: boolean;
  /** Null: 443 and 80. */
  readonly port: number | null;
};

const usualPorts: readonly number[] = [443, 80];

/** Null: not a host. Percent signs, user names, paths and white space are never part of one. */
export function canonicalHost(text: string): NetworkHost | null {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare.length > 253 || !(/^[\p{L}\p{M}\p{N}._-]+$/u.test(bare) || /^\[[0-9A-Fa-f:.]+\]$/.test(bare))) return null;
  const parsed = URL.parse(`http://${bare}/`);
  if (parsed === null) return null;
  const { hostname } = parsed;
  if (hostname.startsWith('[')) return { kind: 'address', address: innerAddress(hostname) };
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return { kind: 'address', address: hostname };
  return /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(hostname) ? { kind: 'name', name: hostname } : null;
}

export type HostFault = 'everything' | 'inner-star' | 'not-a-host' | 'star-alone' | 'port';

/** Parses one entry of the list, or returns its mistake. */
export function parseHostPattern(text: string): Result<HostPattern, HostFault> {
  const [, named = '', port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(text) ?? [];
  const below = named.startsWith('*.');
  const host = canonicalHost(below ? named.slice(2) : named);
  if (named === '*') return err('everything');
  if (named.includes('*') && !below) return err('inner-star');
  if (host === null) return err('not-a-host');
  if (below && (host.kind === 'address' || !host.name.includes('.'))) return err('star-alone');
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return err('port');
  return ok({ host, below, port: port === undefined ? null : Number(port) });
}

/** Those that cannot be read allow nothing. */
export const hostPatterns = (list: readonly string[]): readonly HostPattern[] =>
  list.flatMap((text) => {
    const parsed = parseHostPattern(text);
    return parsed.ok ? [parsed.value] : [];
  });

export const isListed = (list: readonly HostPattern[], host: NetworkHost, port: number): boolean =>
  list.some((pattern) => hasHost(pattern, host) && hasPort(pattern, port));

/** True when `outer` allows everything that `inner` allows. */
export function listCovers(outer: readonly string[], inner: readonly string[]): boolean {
  const wide = hostPatterns(outer);
  return hostPatterns(inner).every((pattern) =>
    (pattern.port === null ? usualPorts : [pattern.port]).every((port) =>
      wide.some(
        (other) => hasPort(other, port) && (pattern.below ? holdsBelow(other, pattern) : hasHost(other, pattern.host)),
      ),
    ),
  );
}

/** `host:port` of a URL, without the port where it is a usual one; null when it is no URL with a host. */
export function hostOfUrl(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === '') return null;
  const port = parsed.port === '' ? usualPorts[parsed.protocol === 'http:' ? 1 : 0] : Number(parsed.port);
  return usualPorts.includes(port ?? 0) ? parsed.hostname : `${parsed.hostname}:${port}`;
}

export const hostText = (host: NetworkHost): string => (host.kind === 'name' ? host.name : host.address);

const hasPort = ({ port }: HostPattern, other: number): boolean =>
  port === null ? usualPorts.includes(other) : port === other;

function hasHost(pattern: HostPattern, host: NetworkHost): boolean {
  if (pattern.host.kind !== host.kind) return false;
  if (!pattern.below) return hostText(pattern.host) === hostText(host);
  return hostText(host).endsWith(`.${hostText(pattern.host)}`);
}

const holdsBelow = (outer: HostPattern, inner: HostPattern): boolean =>
  outer.below && `.${hostText(inner.host)}`.endsWith(`.${hostText(outer.host)}`);

/** `[::ffff:7f00:1]` is 127.0.0.1. */
function innerAddress(address: string): string {
  const [, high, low] = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255]);
  return bytes.join('.');
}

/** Agents that a list of hosts would cut off from their own models. `ours` may name another address for those. */
export function unlistedModels(
  plan: FrozenPlan,
  ours: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const { network } = plan.fence;
  if (network === null || typeof network === 'string') return [];
  const used = new Set(agentsIn(plan));
  return [...used].flatMap((name): Finding[] => {
    const login = agentKinds[name]?.login;
    const named = login?.baseUrl == null ? undefined : ours[login.baseUrl];
    const host = (named === undefined ? null : hostOfUrl(named)) ?? login?.host ?? null;
    return host === null || listCovers(network, [host]) ? [] : [{ rule: 'model-unlisted', agent: name, host }];
  });
}
