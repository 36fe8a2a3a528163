import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClosureRole } from '../../domain/closure/roles.ts';
import { explain } from '../../domain/explain/explain.ts';
import { chooseHandoff, handoffFile, readHandoffFile } from './index.ts';

const nonce = 'n-1';
const good = { status: 'done', summary: 'made it', remaining: [], files: [], proofs: [], questions: [], nonce };

/** A workspace with something at the handoff's place, and what reading it says. */
async function reading(put: (path: string, workspace: string) => void | Promise<void>, closes?: ClosureRole) {
  const workspace = mkdtempSync(join(tmpdir(), 'tidegate-handoff-'));
  try {
    mkdirSync(join(workspace, '.tidegate'));
    await put(join(workspace, handoffFile), workspace);
    return readHandoffFile(workspace, closes === undefined ? { nonce } : { nonce, closes });
  } finally {
    rmSync(workspace, { recursive: true });
  }
}
const text = (content: string | Buffer) => (path: string) => writeFileSync(path, content);
const why = async (
  put: (path: string, workspace: string) => void | Promise<void>,
  closes?: ClosureRole,
): Promise<string> => {
  const evidence = await reading(put, closes);
  return evidence.kind === 'invalid' ? explain(evidence.because).detail : evidence.kind;
};

describe('the handoff file', () => {
  test('is taken when it is whole and of this attempt', async () => {
    expect(await reading(text(JSON.stringify(good)))).toEqual({ kind: 'given', via: 'file', handoff: good });
  });
  test('may leave lists out', async () => {
    expect(await reading(text(JSON.stringify({ status: 'done', summary: 'made it', nonce })))).toMatchObject({
      kind: 'given',
    });
  });
  test('is absent when nothing is there', async () => {
    expect(await why(() => undefined)).toBe('absent');
  });
  test.each([
    [
      'stale or forged',
      text(JSON.stringify({ ...good, nonce: 'n-0' })),
      /nonce of the handoff belongs to another attempt/,
    ],
    ['without a nonce', text(JSON.stringify({ ...good, nonce: undefined })), /schema/],
    ['with extra keys', text(JSON.stringify({ ...good, approved: true })), /schema/],
    ['not JSON', text('STATUS: done'), /not JSON/],
    ['empty', text(''), /not JSON/],
    ['invalid UTF-8', text(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), /UTF-8/],
    ['too long', text(JSON.stringify({ ...good, summary: 'x'.repeat(20_000) })), /bytes/],
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path]), /regular file/],
    ['a link', (path: string) => symlinkSync('/etc/shadow', path), /symbolic link/],
    ['a directory', (path: string) => mkdirSync(path), /regular file/],
    ['a device', (path: string) => symlinkSync('/dev/zero', path), /symbolic link/],
    [
      '5 GB',
      (path: string) => {
        writeFileSync(path, '');
        truncateSync(path, 5 * 2 ** 30);
      },
      /5368709120 bytes/,
    ],
    [
      'behind a linked directory',
      (_path: string, workspace: string) => {
        rmSync(join(workspace, '.tidegate'), { recursive: true });
        symlinkSync('/etc', join(workspace, '.tidegate'));
      },
      /not a directory/,
    ],
  ])('is not taken when %s', async (_name, put, reason) => {
    expect(await why(put)).toMatch(reason);
  });
  test('is not taken when it is a socket', async () => {
    const server = createServer();
    expect(await why((path) => new Promise((done) => void server.listen(path, done)))).toMatch(/socket|regular/);
    server.close();
  });
});

describe('the report of a closure role', () => {
  const file = (report?: object, handoff: object = good) => text(JSON.stringify({ ...handoff, report }));
  test('is taken from the file of a role', async () => {
    const report = { word: 'clear', findings: [] };
    expect(await reading(file({ word: 'clear' }), 'security')).toEqual({
      kind: 'given',
      via: 'file',
      handoff: { ...good, report },
    });
  });
  test.each<[string, ClosureRole | undefined, object | undefined, RegExp]>([
    ['of an ordinary task', undefined, { word: 'clear' }, /not a closure role, so it gives no verdict/],
    ['that is missing', 'security', undefined, /ends with a report: tidegate verdict clear\|concerns\|blocked/],
    [
      'with a word of another role',
      'security',
      { word: 'pass' },
      /pass is not a word of security; its words are clear,/,
    ],
    ['with a part of another role', 'security', { word: 'clear', items: [] }, /the report of security has no items/],
    ['with a word that no role has', 'security', { word: 'fine' }, /role security .* verdict clear\|concerns\|blocked/],
    [
      'with an unknown dimension',
      'qa',
      { word: 'pass', dimensions: { cost: 'pass' } },
      /dimensions: "cost" must be one/,
    ],
    ['with an unknown key', 'qa', { word: 'pass', approved: true }, /unknown key "approved" in report/],
    [
      'with too many findings',
      'qa',
      { word: 'pass', findings: Array(201).fill('x') },
      /report\.findings must be a list/,
    ],
    [
      'with a prototype',
      'deploy',
      JSON.parse('{"word":"healthy","environments":{"__proto__":"healthy"}}'),
      /__proto__/,
    ],
  ])('%s is not taken', async (_name, closes, report, reason) => {
    expect(await why(file(report), closes)).toMatch(reason);
  });
});

test('what came through the socket wins, and a broken file beside it voids nothing', () => {
  const handoff = { ...good, status: 'done' as const };
  const broken = { kind: 'invalid', because: { rule: 'handoff-json' } } as const;
  expect(chooseHandoff(handoff, broken)).toEqual({ kind: 'given', via: 'socket', handoff });
  expect(chooseHandoff(null, broken)).toEqual(broken);
});
