import { canonicalHost, hostText, type NetworkHost } from '../../domain/settings/network-hosts.ts';

/** The person's own proxy. */
export type Upstream = {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization; null without user name. */
  readonly authorization: string | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy that leads to a host, null for none. A proxy that we do not speak to is none. */
export function upstreamFor(
  ours: Variables,
  scheme: 'http' | 'https',
  host: NetworkHost,
  port: number,
): Upstream | null {
  const own = scheme === 'https' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const named = [...own, 'all_proxy', 'ALL_PROXY'].map((name) => ours[name]).find((value) => value);
  if (named === undefined || isExempt(ours['no_proxy'] ?? ours['NO_PROXY'] ?? '', host, port)) return null;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(named) ? named : `http://${named}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  const secure = url.protocol === 'https:';
  const user = decoded(url.username);
  return {
    secure,
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization: user === '' ? null : `Basic ${Buffer.from(`${user}:${decoded(url.password)}`).toString('base64')}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** As curl reads it: names with all below them, `*`, and ports where they are given. */
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
