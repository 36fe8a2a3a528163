import fc from 'fast-check';
import { expect, test } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { router } from '../../src/server/http/router.ts';
import { everyRoute, pathOf, recordingServer } from '../support/recording-server.ts';

type Outcome = 'in' | 421 | 403 | 400;

/** `PORT` is the server's; a `Host` line as it goes over the wire, or several. */
const hosts: readonly (readonly [readonly string[], Outcome])[] = [
  [['127.0.0.1:PORT'], 'in'],
  [['localhost:PORT'], 'in'],
  [['[::1]:PORT'], 'in'],
  [[' 127.0.0.1:PORT '], 'in'],
  [['127.0.0.1'], 421],
  [['localhost'], 421],
  [['127.0.0.1:'], 421],
  [['127.0.0.1:1'], 421],
  [['127.0.0.1:0PORT'], 421],
  [['127.0.0.1:PORT0'], 421],
  [['127.0.0.1:PORT:PORT'], 421],
  [['127.0.0.1.evil.example:PORT'], 421],
  [['127.0.0.1.nip.io:PORT'], 421],
  [['localhost.evil.example:PORT'], 421],
  [['evil.example'], 421],
  [['evil.example:PORT'], 421],
  [['evil.example#127.0.0.1:PORT'], 421],
  [['127.0.0.1:PORT.evil.example'], 421],
  [['127.0.0.1.:PORT'], 421],
  [['localhost.:PORT'], 421],
  [['LOCALHOST:PORT'], 421],
  [['Localhost:PORT'], 421],
  [['localhost:PORT/'], 421],
  [['http://127.0.0.1:PORT'], 421],
  [['user@127.0.0.1:PORT'], 421],
  [['127.0.0.1:PORT@evil.example'], 421],
  [['user:pass@localhost:PORT'], 421],
  [['127.0.0.1:PORT,evil.example'], 421],
  [['127.0.0.1:PORT evil.example'], 421],
  [['127.0.0.2:PORT'], 421],
  [['127.1:PORT'], 421],
  [['0x7f.0.0.1:PORT'], 421],
  [['2130706433:PORT'], 421],
  [['0177.0.0.1:PORT'], 421],
  [['0.0.0.0:PORT'], 421],
  [['::1:PORT'], 421],
  [['[::1]'], 421],
  [['[0:0:0:0:0:0:0:1]:PORT'], 421],
  [['[::1%25lo]:PORT'], 421],
  [['[::ffff:127.0.0.1]:PORT'], 421],
  [['[::]:PORT'], 421],
  [['[::1].evil.example:PORT'], 421],
  [['%31%32%37.0.0.1:PORT'], 421],
  [['l\u00f6calhost:PORT'], 421],
  [['null'], 421],
  [[''], 421],
  [['127.0.0.1:PORT\0'], 400],
  [['127.0.0.1:PORT\0.evil.example'], 400],
  [['127.0.0.1:PORT\x01'], 400],
  [['127.0.0.1:PORT\rX: y'], 400],
  [[], 400],
  [['127.0.0.1:PORT', '127.0.0.1:PORT'], 421],
  [['127.0.0.1:PORT', 'evil.example'], 421],
  [['evil.example', '127.0.0.1:PORT'], 421],
];

/** Beside a right `Host` and a right token. */
const origins: readonly (readonly [readonly string[], Outcome])[] = [
  [[], 'in'],
  [['http://127.0.0.1:PORT'], 'in'],
  [['http://localhost:PORT'], 'in'],
  [['http://[::1]:PORT'], 'in'],
  [['null'], 403],
  [[''], 403],
  [['http://127.0.0.1'], 403],
  [['http://127.0.0.1:1'], 403],
  [['https://127.0.0.1:PORT'], 403],
  [['HTTP://127.0.0.1:PORT'], 403],
  [['http://LOCALHOST:PORT'], 403],
  [['http://127.0.0.1:PORT/'], 403],
  [['http://127.0.0.1.:PORT'], 403],
  [['http://127.0.0.1:PORT.evil.example'], 403],
  [['http://evil.example'], 403],
  [['http://evil.example:PORT'], 403],
  [['http://user@127.0.0.1:PORT'], 403],
  [['http://127.0.0.1:PORT http://evil.example'], 403],
  [['http://127.0.0.1:PORT, http://evil.example'], 403],
  [['file://'], 403],
  [['chrome-extension://abcdefghijklmnop'], 403],
  [['ws://127.0.0.1:PORT'], 403],
  [['http://127.0.0.1:PORT', 'http://evil.example'], 403],
  [['http://evil.example', 'http://127.0.0.1:PORT'], 403],
];

const sites: readonly (readonly [readonly string[], Outcome])[] = [
  [['same-origin'], 'in'],
  [['none'], 'in'],
  [['same-site'], 403],
  [['cross-site'], 403],
  [['Same-Origin'], 403],
  [[''], 403],
  [['same-origin', 'cross-site'], 403],
];

const shown = (values: readonly string[]): string =>
  values.length === 0 ? 'none' : JSON.stringify(values.join(' | '));

test.each(
  [
    ...hosts.map(([values, outcome]) => ({ header: 'Host', values, outcome })),
    ...origins.map(([values, outcome]) => ({ header: 'Origin', values, outcome })),
    ...sites.map(([values, outcome]) => ({ header: 'Sec-Fetch-Site', values, outcome })),
  ].map((one) => ({ ...one, what: shown(one.values) })),
)('$header $what: $outcome', async ({ header, values, outcome }) => {
  await using server = await recordingServer();
  const lines = values.map((value) => `${header}: ${value.replaceAll('PORT', String(server.port))}`);
  const host = header === 'Host' ? [] : [`Host: ${server.host}`];
  const known = [`Authorization: Bearer ${server.tokens.approve}`, 'Connection: close', '\r\n'];
  const said = await server.raw(['GET /v1/repositories HTTP/1.1', ...host, ...lines, ...known].join('\r\n'));
  expect(said.slice(9, 12)).toBe(String(outcome === 'in' ? 409 : outcome));
  expect(server.called.length).toBe(outcome === 'in' ? 1 : 0);
  // neither does a page that holds our cookie get in by such a name
  const { cookie: value, 'tidegate-page': key } = server.entered('approve');
  const cookie = [`Cookie: ${value}`, `Tidegate-Page: ${key}`, 'Connection: close', '\r\n'];
  const again = await server.raw(['GET /v1/repositories HTTP/1.1', ...host, ...lines, ...cookie].join('\r\n'));
  expect(again.slice(9, 12)).toBe(said.slice(9, 12));
});

test('the table has 60 forms and more of Host and Origin', () => {
  expect(hosts.length + origins.length).toBeGreaterThanOrEqual(60);
});

/** What may come out of a parameter: nothing that means something in a path, an argument list or a terminal. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' && /^[A-Za-z0-9][\w.:-]{0,199}$/.test(value) && !value.includes('..'));

const traversals = [
  ...['..', '.', '%2e%2e', '..%2f..%2fserver%2fkey', '%2fetc%2fpasswd', '..%5c..', '%00', 'a%00b', 'a%0ab', 'a%0d%0ab'],
  ...[
    '-rf',
    '--help',
    '%2d-upload-pack',
    'a%20b',
    '~',
    '%7eroot',
    '$(id)',
    '%60id%60',
    'a;b',
    "a'b",
    'a%22b',
    '*',
    '%25',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'server',
    'key',
    'con',
    'nul',
    '%F0%9F%92%A9',
    '%e2%80%ae',
    '%c0%ae',
    'a'.repeat(9_000),
  ],
];

const fuzzed = fc
  .sample(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
      fc.webPath(),
    ),
    { numRuns: 500 - traversals.length, seed: 20_261_115 },
  )
  .map((text) => encodeURIComponent(text.toWellFormed()));
const ids = [...traversals, ...fuzzed];
const spots = everyRoute.flatMap(([, route]) =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ route, name })),
);
const filled = ({ route, name }: (typeof spots)[number], id: string): string =>
  pathOf(route, (one) => (one === name ? id : 'a1'));

test('of 500 fuzzed ids only plain ones get through a parameter, whichever it is', () => {
  expect(ids.length).toBe(500);
  const find = router(routes);
  const through = spots.flatMap((spot) =>
    ids.flatMap((id) => {
      const match = find(spot.route.method, filled(spot, id));
      if (match.kind !== 'route') return [];
      const params = routes[match.id].params.safeParse(match.params);
      return params.success && !Object.values(params.data).every(isPlain) ? [`${spot.route.path} ${id}`] : [];
    }),
  );
  expect(through).toEqual([]);
});

test('fuzzed ids break nothing over the wire', async () => {
  await using server = await recordingServer();
  const odd: string[] = [];
  const askAt = async (spot: (typeof spots)[number], id: string): Promise<void> => {
    const [path, { method }] = [filled(spot, id), spot.route];
    const { status } = await server.ask(method, path, { token: server.tokens.approve });
    if (![400, 404, 405, 409, 422].includes(status)) odd.push(`${status} ${method} ${path.slice(0, 200)}`);
  };
  // each id in one spot, and the written ones wherever a parameter of another name is
  const everyName = [...Map.groupBy(spots, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
  const tries = [
    ...fuzzed.flatMap((id, at) =>
      spots
        .slice(at % spots.length)
        .slice(0, 1)
        .map((spot) => ({ spot, id })),
    ),
    ...everyName.flatMap((spot) => traversals.map((id) => ({ spot, id }))),
  ];
  for (const { spot, id } of tries) await askAt(spot, id);
  expect(odd).toEqual([]);
  expect(server.faults).toEqual([]);
  expect(server.called.filter(({ given }) => !Object.values(given.params).every(isPlain))).toEqual([]);
});
