import { canonicalHost, hostText, type NetworkHost } from '../../domain/settings/network-hosts.ts';

/** The person's own proxy. */
export type Upstream = {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization; null without a user name. */
  readonly authorization: string | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for a host; null for none, and for a proxy whose protocol we do not speak. */
export function upstreamFor(
  environment: Variables,
  scheme: 'http' | 'https',
  host: NetworkHost,
  port: number,
): Upstream | null {
  const own = scheme === 'https' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const named = [...own, 'all_proxy', 'ALL_PROXY'].map((name) => environment[name]).find((value) => value);
  if (named === undefined || isExempt(environment['no_proxy'] ?? environment['NO_PROXY'] ?? '', host, port))
    return null;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(named) ? named : `http://${named}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  const secure = url.protocol === 'https:';
  const user = decode(url.username);
  return {
    secure,
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization: user === '' ? null : `Basic ${Buffer.from(`${user}:${decode(url.password)}`).toString('base64')}`,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Reads NO_PROXY as curl does: names with their subdomains, `*`, and optional ports. */
function isExempt(list: string, host: NetworkHost, port: number): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, named = '', only] = /^\*?\.?(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
      const exempt = canonicalHost(named);
      if (exempt === null || exempt.kind !== host.kind || (only !== undefined && Number(only) !== port)) return false;
      return hostText(host) === hostText(exempt) || hostText(host).endsWith(`.${hostText(exempt)}`);
    });
}
