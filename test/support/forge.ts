import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnly } from './run-only.ts';

/** What a stand-in for `gh` or `glab` was called with. */
export type ForgeCall = { readonly args: readonly string[]; readonly stdin: string };

/**
 * A place with pull requests, as far as a test needs one: a bare repository that the remote `origin` leads to, whose address is that
 * of a host with a token in it, and a stand-in for the program that opens pull requests there.
 */
export function forge(
  root: string,
  options: { readonly program?: 'gh' | 'glab'; readonly host?: string; readonly token?: string } = {},
) {
  const { program = 'gh', host = 'github.com', token = 'hunter2-of-the-remote' } = options;
  const bare = join(root, 'shop.git');
  const bin = join(root, 'bin');
  const calls = join(root, 'forge-calls');
  const requests = join(root, 'forge-requests');
  const mood = join(root, 'forge-mood');
  const address = `https://ada:${token}@${host}/ada/shop.git`;
  mkdirSync(bin, { recursive: true });
  runOnly('git', ['init', '-q', '--bare', '-b', 'main', bare], root);
  return {
    bare,
    bin,
    token,
    url: `https://${host}/ada/shop/pull/1`,
    /** Makes it the remote of a checkout. */
    connect(git: (...args: string[]) => string): void {
      git('remote', 'add', 'origin', address);
      git('config', `url.${bare}.insteadOf`, address);
      git('push', '-q', '-u', 'origin', 'main');
    },
    /** Puts the program on the PATH. */
    install(): void {
      writeFileSync(join(bin, program), standIn({ calls, requests, mood, url: `https://${host}/ada/shop/pull/1` }));
      chmodSync(join(bin, program), 0o755);
    },
    /** From now on each call ends so; null: well. */
    fail(how: { readonly code: number; readonly said: string } | null): void {
      writeFileSync(mood, how === null ? '' : JSON.stringify(how));
    },
    calls: (): readonly ForgeCall[] =>
      existsSync(calls)
        ? readFileSync(calls, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line): ForgeCall => JSON.parse(line))
        : [],
    opened: (): number => (existsSync(requests) ? readFileSync(requests, 'utf8').split('\n').length - 1 : 0),
    tip: (branch: string): string =>
      runOnly(
        'git',
        ['--git-dir', bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`],
        root,
      ).trim(),
  };
}

const standIn = (at: { calls: string; requests: string; mood: string; url: string }): string => `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
const stdin = fs.readFileSync(0, 'utf8');
fs.appendFileSync(${JSON.stringify(at.calls)}, JSON.stringify({ args, stdin }) + '\\n');
const mood = fs.existsSync(${JSON.stringify(at.mood)}) ? fs.readFileSync(${JSON.stringify(at.mood)}, 'utf8') : '';
if (mood !== '') {
  const { code, said } = JSON.parse(mood);
  process.stderr.write(said + '\\n');
  process.exit(code);
}
const open = fs.existsSync(${JSON.stringify(at.requests)});
if (args[1] === 'list') {
  process.stdout.write(JSON.stringify(open ? [{ url: ${JSON.stringify(at.url)}, web_url: ${JSON.stringify(at.url)} }] : []));
} else {
  fs.appendFileSync(${JSON.stringify(at.requests)}, args.join(' ').replaceAll('\\n', ' ') + '\\n');
  process.stdout.write('Creating pull request\\n' + ${JSON.stringify(at.url)} + '\\n');
}
`;
