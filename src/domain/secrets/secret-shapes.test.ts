import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestSecret, maskShapes, maskTexts, openFrom, secretIn, secretRules, secretSpans } from './secret-shapes.ts';

/** Written in two parts, so that no file of ours holds anything that looks like a secret. */
const made = {
  'github-pat': `ghp_${'a1B2'.repeat(9)}`,
  'github-fine-grained-pat': `github_pat_${'A1b2_'.repeat(16)}zz`,
  'gitlab-pat': `glpat-${'x1Y2'.repeat(5)}`,
  'aws-access-token': `AKIA${'ABCD'.repeat(4)}`,
  'anthropic-token': `sk-ant-${'oat01-'}${'aB3_'.repeat(20)}`,
  'openai-project-key': `sk-proj-${'aB3_'.repeat(20)}`,
  'gcp-api-key': `AIza${'aB3_x'.repeat(7)}`,
  'stripe-access-token': `sk_live_${'aB3x'.repeat(6)}`,
  'npm-access-token': `npm_${'aB3x'.repeat(9)}`,
  'pypi-upload-token': `pypi-${'AgEIcHlwaS5vcmc'}${'aB3x'.repeat(20)}`,
  'slack-bot-token': `xoxb-${'1'.repeat(12)}-${'2'.repeat(12)}-${'aB3x'.repeat(6)}`,
  'sendgrid-api-token': `SG.${'aB3x_'.repeat(13)}a`,
  'huggingface-access-token': `hf_${'aBxY'.repeat(8)}zz`,
  'digitalocean-pat': `dop_v1_${'a1b2'.repeat(16)}`,
  jwt: [
    'eyJ',
    'hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
    '.eyJ',
    'zdWIiOiIxMjM0NTY3ODkwIn0',
    '.',
    'dozjgNryP4J3jVmNHl0w5N',
  ].join(''),
  'private-key': `-----BEGIN RSA ${'PRIVATE KEY'}-----\nProc-Type: 4,ENCRYPTED\n\n${`${'aB3x'.repeat(16)}\n`.repeat(25)}aB==\n-----END RSA ${'PRIVATE KEY'}-----`,
};

/** Drawn from the pattern, which fast-check reads without borders. */
function examplesOf({ pattern }: (typeof secretRules)[number], numRuns: number, maxLength: number): readonly string[] {
  const whole = new RegExp(`^(?:${pattern})$`);
  const drawn = fc.stringMatching(new RegExp(`^(?:${pattern.replaceAll('\\b', '')})$`), { maxLength });
  return fc.sample(
    drawn.filter((one) => whole.test(one)),
    { numRuns, seed: 1 },
  );
}

describe('S6: credentials are found by their shape', () => {
  test.each(Object.entries(made))('%s, and nothing around it is', (rule, secret) => {
    expect(maskShapes(`a = "${secret}", b`)).toBe(`a = "[redacted ${rule}]", b`);
    expect(maskShapes(`é ${secret}\n${secret}`)).toBe(`é [redacted ${rule}]\n[redacted ${rule}]`);
    expect(secretIn(secret)).toBe(rule);
  });

  test.each(Object.entries(made))(
    '%s in JSON, at the beginning of a line or after an escaped character',
    (rule, secret) => {
      const plain = JSON.stringify(secret).slice(1, -1);
      for (const before of ['\\n', '\\t', '\\r', '\\u00e9'])
        expect(maskShapes(`{"text":"key:${before}${plain}"}`)).toBe(`{"text":"key:${before}[redacted ${rule}]"}`);
    },
  );

  test('a word that ends like one is none', () => {
    expect(maskShapes(`mask-ant-${'aB3_'.repeat(20)} npm_x`)).toBe(`mask-ant-${'aB3_'.repeat(20)} npm_x`);
  });

  test('every rule finds examples of its own, from their first character on', () => {
    for (const rule of secretRules)
      for (const secret of examplesOf(rule, 20, 300)) {
        const [span] = secretSpans(` ${secret} `);
        expect({ secret, from: span?.from, starts: rule.starts.some((start) => secret.startsWith(start)) }).toEqual({
          secret,
          from: 1,
          starts: true,
        });
      }
  });

  test('a private key is masked without its last lines, and in JSON', () => {
    const header = `-----BEGIN ${'PRIVATE KEY'}-----`;
    const line = 'aB3x'.repeat(16);
    expect(maskShapes(`${header}\n${line}\n${line}\n$ echo done`)).toBe('[redacted private-key]\n$ echo done');
    const whole = `${header}\n${line}\n${line.slice(0, 7)}=\n-----END ${'PRIVATE KEY'}-----\n`;
    expect(maskShapes(JSON.stringify({ key: whole, next: 1 }))).toBe('{"key":"[redacted private-key]\\n","next":1}');
    expect(maskShapes(`${header} is the first line`)).toBe('[redacted private-key] is the first line');
  });

  test('in every text of a record, and in no name of a field', () => {
    const secret = made['github-pat'];
    expect(maskTexts({ a: [secret, 1, null], b: { [secret]: `x ${secret}` } })).toEqual({
      a: ['[redacted github-pat]', 1, null],
      b: { [secret]: 'x [redacted github-pat]' },
    });
  });
});

describe('what is no credential is left alone', () => {
  const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
  test.each([
    [
      'git ids and hashes',
      () => [hex(20), hex(32), hex(64), `sha256:${hex(32)}`, createHash('md5').digest('hex')].join(' '),
    ],
    ['UUIDs', () => Array.from({ length: 50 }, () => crypto.randomUUID()).join('\n')],
    ['lockfiles', () => `"integrity": "sha512-${randomBytes(64).toString('base64')}",\n  checksum = "${hex(32)}"\n`],
    ['go.sum', () => `golang.org/x/mod v0.1.0 h1:${randomBytes(32).toString('base64')}=\n`],
    [
      'images',
      () =>
        `data:image/png;base64,${Buffer.concat([randomBytes(600), Buffer.alloc(300), randomBytes(600)]).toString('base64')}`,
    ],
    ['bytes', () => randomBytes(4096).toString('latin1')],
    ['hex', () => hex(4096)],
  ])('%s', (_name, draw) => {
    for (let times = 0; times < 400; times += 1) {
      const text = draw();
      expect(maskShapes(text)).toBe(text);
    }
  });

  test('words, names and addresses', () => {
    const text = [
      'sk-loading-animation-container-wrapper task-list-of-everything risk-assessment-document-for-2026',
      'ghp_short AKIA AKIAIOSFODNN7 xoxb-test npm_config_registry npm_package_name hf_transfer pat.ch',
      'https://example.com/webhookb2/a https://hooks.slack.com/services/ -----BEGIN CERTIFICATE-----',
      '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
      'github_pat_ sk_test_ sk-ant- eyJ eyJhIjoxfQ.x SG.sg glpat- API-KEY-NAME v1.0-beta dapi sha256~',
      'refs/heads/main 2026-11-16T15:00:00Z ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ].join('\n');
    expect(maskShapes(text)).toBe(text);
  });
});

describe('no input is slow', () => {
  const hostile = (unit: string): string => unit.repeat(Math.ceil(100_000 / unit.length));
  const milliseconds = (text: string): number => {
    const before = process.cpuUsage();
    secretSpans(text);
    openFrom(text);
    return process.cpuUsage(before).user / 1000;
  };

  test('by any rule: its beginning again and again, with what its classes take, and whole ones without the last character', () => {
    const slow = secretRules.flatMap((rule) => {
      const inputs = [
        ...rule.starts.map(hostile),
        ...rule.starts.flatMap((start) =>
          ['a', '0', 'A', '-', '/', '\\n', ' ', '.ey'].map((one) => start + hostile(one)),
        ),
        ...rule.starts.flatMap((start) => ['a', '0-', '.', ' '].map((one) => hostile(start + one.repeat(40)))),
        ...examplesOf(rule, 2, 2_000).flatMap((one) => [hostile(one.slice(0, -1)), hostile(`${one.slice(0, -1)}\n`)]),
      ];
      return inputs.filter((text) => milliseconds(text) > 250).map((text) => `${rule.rule}: ${text.slice(0, 80)}`);
    });
    expect(slow).toEqual([]);
  }, 120_000);

  test('no match is longer than what is held back', () => {
    const header = `-----BEGIN ${'PRIVATE KEY'}-----\n`;
    const long = [made['anthropic-token'].repeat(99), header + hostile(`${'a'.repeat(64)}\n`), `eyJ${hostile('a')}`];
    for (const text of long)
      for (const { from, to } of secretSpans(text)) expect(to - from).toBeLessThanOrEqual(longestSecret);
  });
});

test('whatever is no longer open is decided: more text changes nothing of it', () => {
  const piece = fc.oneof(
    fc.constantFrom(...Object.values(made)),
    fc.constantFrom(...secretRules.flatMap(({ starts }) => starts)),
    fc.string({ maxLength: 6 }),
    fc.constantFrom('\n', ' ', '-----', '"'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(), (pieces, cut) => {
      const text = pieces.join('');
      const at = text.length === 0 ? 0 : cut % text.length;
      const open = openFrom(text.slice(0, at));
      const decided = secretSpans(text.slice(0, at)).filter(({ from }) => from < open);
      expect(secretSpans(text).filter(({ from }) => from < open)).toEqual(decided);
    }),
    { numRuns: 2_000 },
  );
});
