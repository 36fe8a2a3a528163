import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scrubHome } from './snapshot.ts';

const secret = 'sk-canary-0123456789';
const blank = 'x'.repeat(secret.length);

test('masks every value in every file, also across the end of a chunk, and follows no link', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-scrub-'));
  try {
    const home = join(root, 'home');
    mkdirSync(join(home, 'deep/er'), { recursive: true });
    const long = 'a'.repeat((4 << 20) - 7);
    writeFileSync(join(root, 'outside'), secret);
    writeFileSync(join(home, 'session.jsonl'), `one ${secret} two ${secret}\n`);
    writeFileSync(join(home, 'deep/er/state.db'), `${long}${secret}${long}`);
    writeFileSync(join(home, 'empty'), '');
    symlinkSync(join(root, 'outside'), join(home, 'link'));
    scrubHome(home, [secret]);

    expect(readFileSync(join(home, 'session.jsonl'), 'utf8')).toBe(`one ${blank} two ${blank}\n`);
    expect(readFileSync(join(home, 'deep/er/state.db'), 'utf8') === `${long}${blank}${long}`).toBe(true);
    expect(readFileSync(join(root, 'outside'), 'utf8')).toBe(secret);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('without secrets, or without a home, does nothing', () => {
  expect(() => scrubHome('/nowhere/at/all', [secret])).not.toThrow();
});
