import { existsSync } from 'node:fs';
import type { Network } from '../../domain/plan/plan.ts';
import { canonicalHost, hostPatterns, hostText } from '../../domain/settings/network-hosts.ts';
import type { Bind, Host } from './host.ts';
import { relayPort } from './launch-script.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const always = ['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TERM', 'COLORTERM', 'NO_COLOR', 'TZ', 'CI'];
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const certificates = [
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'GIT_SSL_CAINFO', 'CURL_CA_BUNDLE'],
  ...['REQUESTS_CA_BUNDLE', 'PIP_CERT', 'AWS_CA_BUNDLE', 'NIX_SSL_CERT_FILE'],
];

/** True for variables that would run code in our launcher, before the fence is up. */
const isDangerous = (name: string): boolean =>
  /^(LD_|GLIBC_|GCONV_PATH$|BASH_ENV$|ENV$|BASH_FUNC_|SHELLOPTS$|BASHOPTS$|PS4$|IFS$)/.test(name);

/** Builds the environment of a fenced process: an allow-list, the variables that the plan passes by name, and our own. */
export function fencedEnvironment(
  ours: Variables,
  host: Host,
  options: { network: Network; pass: readonly string[]; set: Variables; client: string | null },
): Record<string, string> {
  const { network } = options;
  const names = [
    ...always,
    ...(network === 'off' ? [] : certificates),
    ...(network === 'on' ? proxies : []),
    ...options.pass,
  ];
  const passed = names.map((name) => [name, ours[name]] as const);
  const visible = host.visible();
  const path = options.client === null ? visible.path : [options.client, ...visible.path];
  const entries = [
    ...Object.entries(visible.variables),
    ...passed,
    ...Object.entries(options.set),
    ...Object.entries(typeof network === 'string' ? {} : relayVariables(network)),
    ['HOME', host.home] as const,
    ['PATH', path.join(':')] as const,
    ['TMPDIR', '/tmp'] as const,
    ['SHELL', '/bin/sh'] as const,
    ['USER', 'tidegate'] as const,
    ['LOGNAME', 'tidegate'] as const,
  ];
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined && !isDangerous(entry[0])),
  );
}

/** Binds the certificates that a variable points to, because they must exist inside as well. */
export const certificateBinds = (ours: Variables): readonly Bind[] =>
  [...new Set(certificates.map((name) => ours[name]))]
    .filter(
      (path): path is string => path?.startsWith('/') === true && existsSync(path) && !/^\/(usr|etc\/ssl)\//.test(path),
    )
    .map((path) => ({ source: path, target: path, access: 'read' }));

/**
 * The variables by which programs find the relay. Services on the fence's own loopback are reached directly, unless the list names a
 * service of the host's loopback by the same address. Node's fetch reads the variables only with NODE_USE_ENV_PROXY.
 */
function relayVariables(hosts: readonly string[]): Readonly<Record<string, string>> {
  const listed = hostPatterns(hosts).map(({ host }) => hostText(host));
  const own = ['localhost', '127.0.0.1', '::1'].filter((name) => {
    const host = canonicalHost(name.includes(':') ? `[${name}]` : name);
    return host === null || !listed.includes(hostText(host));
  });
  const relay = `http://127.0.0.1:${relayPort}`;
  return {
    ...Object.fromEntries(proxies.map((name) => [name, name.toLowerCase() === 'no_proxy' ? own.join(',') : relay])),
    NODE_USE_ENV_PROXY: '1',
  };
}
