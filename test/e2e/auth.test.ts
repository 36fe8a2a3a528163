import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atTerminal } from '../support/terminal.ts';
import { filesWith } from '../support/tries.ts';

const isRoot = process.getuid?.() === 0;
const bin = resolve('bin/tidegate.cjs');
const token = `sk-ant-oat01-${'planted-for-this-test-'.repeat(4)}0001`;
const question = 'not shown; Enter alone stores nothing';

/** A person's home, and a `claude` that asks on the terminal as the real one does: a code, then it shows a token. */
function person({ claude = true } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-auth-'));
  mkdirSync(join(home, 'bin'));
  if (claude)
    writeFileSync(
      join(home, 'bin/claude'),
      `#!/bin/sh
echo "$*" >> ${home}/claude-arguments
printf 'Paste code here if prompted > '
read -r code
[ "$code" != die ] || kill -9 $$
[ "$code" = code ] || { echo 'OAuth error: Invalid code.'; exit 1; }
printf '%s\\n' 'Your OAuth token (valid for 1 year):' '' sk-ant-oat01-shown-by-claude '' 'Store this token securely.'
`,
      { mode: 0o755 },
    );
  const env = { PATH: `${join(home, 'bin')}:/usr/bin:/bin`, HOME: home };
  const kept = join(home, '.config/tidegate/tokens.json');
  return {
    home,
    kept,
    at: (args: readonly string[], answers: Readonly<Record<string, string>>) =>
      atTerminal([process.execPath, bin, 'auth', ...args], { cwd: '/', env }, answers),
    call: (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'auth', ...args], {
        cwd: '/',
        env,
        encoding: 'utf8',
      });
      return { exit: status, out: stdout, err: stderr };
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true }),
  };
}

describe('tidegate auth claude', () => {
  test('keeps a token that is pasted, wrapped as terminals wrap it, for the person alone, and shows it nowhere', async () => {
    using she = person();
    const pasted = `${token.slice(0, 60)}\r\n${token.slice(60)}\r`;
    const { code, screen } = await she.at(['claude'], { 'if prompted >': 'code\n', [question]: pasted });
    expect([code, screen]).toEqual([0, expect.stringContaining(`Stored in ${she.kept}, readable only by you`)]);
    expect(screen).toContain('sk-ant-oat01-shown-by-claude');
    expect(screen).toContain(`claude: logged in by CLAUDE_CODE_OAUTH_TOKEN, kept in ${she.kept}`);
    expect(screen).not.toContain('planted-for-this-test');
    expect(JSON.parse(readFileSync(she.kept, 'utf8'))).toEqual({ CLAUDE_CODE_OAUTH_TOKEN: token });
    expect(statSync(she.kept).mode & 0o777).toBe(0o600);
    expect(filesWith(she.home, ['planted-for-this-test'])).toEqual([`${she.kept}: planted-for-this-test`]);
    expect(readFileSync(join(she.home, 'claude-arguments'), 'utf8')).toBe('setup-token\n');

    const check = she.call('claude', '--check');
    expect(check).toMatchObject({ exit: 0, out: expect.stringContaining(`kept in ${she.kept}`), err: '' });
    expect(check.out).not.toContain('planted');

    chmodSync(she.kept, 0o640);
    expect(she.call('claude', '--check')).toMatchObject({
      exit: 43,
      out: expect.stringMatching(/is open to others, so it is not used\n +chmod 600 /),
    });
  });

  test.each([
    ['nothing', '\r', 0, 'Nothing is stored. Before each run: export CLAUDE_CODE_OAUTH_TOKEN=<value>'],
    ['the end of input', '\x04', 0, 'Nothing is stored.'],
    [
      'the code again',
      'planted-code#state-of-the-code\r',
      2,
      'tidegate: that does not look like a token; nothing is stored',
    ],
    ['half a token', 'sk-ant-planted\r', 2, 'tidegate: that does not look like a token; nothing is stored'],
    [
      'a key',
      'sk-ant-api03-planted-planted-planted\r',
      2,
      'an API key. Store it with: tidegate auth claude ANTHROPIC_API_KEY; nothing',
    ],
    ['half a token and Ctrl-C', 'sk-ant-oat01-planted\x03', 130, ''],
  ])('given %s keeps nothing and says so', async (_, typed, exit, message) => {
    using she = person();
    const { code, screen } = await she.at(['claude'], { 'if prompted >': 'code\n', [question]: typed });
    expect([code, screen]).toEqual([exit, expect.stringContaining(message)]);
    expect(screen).not.toContain('planted');
    expect(existsSync(join(she.home, '.config'))).toBe(false);
  });

  test.each([
    ['refuses the code', 'wrong\n', '`claude setup-token` exited with 1; nothing is stored'],
    ['is killed', 'die\n', '`claude setup-token` exited with 1; nothing is stored'],
  ])('of a claude that %s asks for no token', async (_, typed, message) => {
    using she = person();
    const { code, screen } = await she.at(['claude'], { 'if prompted >': typed });
    expect([code, screen]).toEqual([1, expect.stringContaining(message)]);
    expect(screen).not.toContain(question);
  });

  test('without a claude, or without a terminal, says what to do', async () => {
    using she = person({ claude: false });
    expect(await she.at(['claude'], {})).toMatchObject({
      code: 2,
      screen: expect.stringContaining('claude is not on the PATH'),
    });
    expect(she.call('claude')).toEqual({
      exit: 2,
      out: '',
      err: 'tidegate: run `claude setup-token` in a terminal, then: export CLAUDE_CODE_OAUTH_TOKEN=<value>\n',
    });
  });
});

describe('other agents', () => {
  test('are logged in by a key that is asked for, beside the token of claude', async () => {
    using she = person();
    const key = 'sk-proj-planted-for-this-test-0002';
    await she.at(['claude'], { 'if prompted >': 'code\n', [question]: `${token}\r` });
    const { code, screen } = await she.at(['codex', 'CODEX_API_KEY'], { [question]: `${key}\r` });
    expect([code, screen]).toEqual([0, expect.stringContaining('codex: logged in by CODEX_API_KEY, kept in')]);
    expect(screen).not.toContain('planted');
    expect(JSON.parse(readFileSync(she.kept, 'utf8'))).toEqual({ CLAUDE_CODE_OAUTH_TOKEN: token, CODEX_API_KEY: key });
    expect(she.call('codex', 'AWS_SECRET_ACCESS_KEY')).toMatchObject({
      exit: 2,
      err: 'tidegate: auth: codex takes CODEX_API_KEY\n',
    });
    expect(she.call('aider', '--check')).toMatchObject({
      exit: 2,
      err: 'tidegate: auth: unknown agent aider; use claude, codex, opencode, gemini\n',
    });
  });

  test('whose own login is a file: told what to type, and as root not to make one that agents cannot read', () => {
    using she = person();
    mkdirSync(join(she.home, '.codex'));
    writeFileSync(join(she.home, '.codex/auth.json'), '{}', { mode: 0o600 });
    const told = she.call('codex').out;
    const checked = she.call('codex', '--check');
    expect(told).toContain('tidegate auth codex CODEX_API_KEY');
    if (!isRoot) {
      expect(told).toContain('codex login    (agents can read its file ~/.codex/auth.json');
      expect(checked.exit).toBe(0);
      return;
    }
    expect(told).toContain('Agents run as another user here and cannot read the file that `codex login` writes.');
    expect(checked.exit).toBe(43);
    expect(checked.out).toMatch(/only you can read \S+auth\.json, but agents run as another user \(uid \d+\)\n/);
    expect(checked.out).toMatch(/\n +tidegate auth codex CODEX_API_KEY\n/);
  });
});

test('a secret of threads and webhooks is kept under its name, and shown nowhere', async () => {
  using she = person({ claude: false });
  const { code, screen } = await she.at(['secret', 'FORUM_TOKEN'], { [question]: 'planted-forum-token\r' });
  expect([code, screen]).toEqual([0, expect.stringContaining(`Stored in ${she.kept}, readable only by you`)]);
  expect(screen).not.toContain('planted');
  expect(JSON.parse(readFileSync(she.kept, 'utf8'))).toEqual({ FORUM_TOKEN: 'planted-forum-token' });
  expect(she.call('secret', 'planted_token')).toMatchObject({ exit: 2, err: expect.not.stringContaining('planted') });
});
