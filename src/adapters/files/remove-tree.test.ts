import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeTree, removeTreeSync } from './remove-tree.ts';

function scene() {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-remove-'));
  return { root, [Symbol.dispose]: () => removeTreeSync(root) };
}

const name = (letter: string): string => letter.repeat(31);

/** Levels of long names, each with a file and a link to `precious`, far beyond what one path can name; made from the innermost outwards. */
function makeDeep(at: string, levels: number, precious: string): void {
  const next = `${at}.next`;
  for (let level = 0; level < levels; level += 1) {
    mkdirSync(next);
    writeFileSync(join(next, 'file'), '');
    symlinkSync(precious, join(next, 'link'));
    if (level > 0) renameSync(at, join(next, name('d')));
    if (level > 0 && level % 7 === 0) chmodSync(join(next, name('d')), 0);
    renameSync(next, at);
  }
}

const removals = { 'as a task': removeTree, 'at once': async (path: string) => removeTreeSync(path) };

test.each(Object.entries(removals))(
  'a tree deeper than paths can name goes %s; no link leads out',
  async (_, remove) => {
    using s = scene();
    mkdirSync(join(s.root, 'elsewhere'));
    writeFileSync(join(s.root, 'elsewhere/precious'), '');
    makeDeep(join(s.root, 'tree'), 400, '../elsewhere');
    symlinkSync(join(s.root, 'elsewhere'), join(s.root, 'tree/absolute'));
    await remove(join(s.root, 'tree'));
    expect(readdirSync(s.root)).toEqual(['elsewhere']);
    expect(readdirSync(join(s.root, 'elsewhere'))).toEqual(['precious']);
  },
);

test('what has a path too long by itself goes by the directory that it lies in', async () => {
  using s = scene();
  makeDeep(join(s.root, 'tree'), 200, '/');
  let at = join(s.root, 'tree');
  while (at.length + 32 < 4_090) {
    at = join(at, name('d'));
    chmodSync(at, 0o700);
  }
  expect(() => rmSync(join(at, name('d')), { recursive: true })).toThrow('ENAMETOOLONG');
  await removeTree(join(at, name('d')));
  expect(readdirSync(at).toSorted()).toEqual(['file', 'link']);
});

test('two that remove the same tree do not hinder each other', async () => {
  using s = scene();
  makeDeep(join(s.root, 'tree'), 300, '/');
  await Promise.all([
    removeTree(join(s.root, 'tree')),
    removeTree(join(s.root, 'tree')),
    removeTree(join(s.root, 'no')),
  ]);
  expect(readdirSync(s.root)).toEqual([]);
});
