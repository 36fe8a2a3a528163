import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seeContent, WorkspaceMoved } from './changes.ts';

/** A directory with the file `dir/file`, as the walk saw it. */
function seen() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-test-')));
  mkdirSync(join(root, 'dir'));
  writeFileSync(join(root, 'dir/file'), 'hello\n');
  const stats = lstatSync(join(root, 'dir/file'), { bigint: true });
  return { root, found: { path: 'dir/file', stats }, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

test('the id is the one that git gives', () => {
  using file = seen();
  expect(seeContent(file.root, file.found, 'sha1', false).id).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
});

test('a file that grew, shrank or was replaced since the walk is not taken', () => {
  for (const content of ['hello, longer\n', 'h']) {
    using file = seen();
    writeFileSync(join(file.root, 'dir/file'), content);
    expect(() => seeContent(file.root, file.found, 'sha1', false).id).toThrow(WorkspaceMoved);
  }
  using file = seen();
  writeFileSync(join(file.root, 'other'), 'hellO\n');
  renameSync(join(file.root, 'other'), join(file.root, 'dir/file'));
  expect(() => seeContent(file.root, file.found, 'sha1', false).id).toThrow(WorkspaceMoved);
});

test('a FIFO or link put in its place is neither waited for nor followed', () => {
  using pipe = seen();
  rmSync(join(pipe.root, 'dir/file'));
  execFileSync('mkfifo', [join(pipe.root, 'dir/file')]);
  expect(() => seeContent(pipe.root, pipe.found, 'sha1', false).id).toThrow(WorkspaceMoved);
  using link = seen();
  rmSync(join(link.root, 'dir/file'));
  symlinkSync('/etc/passwd', join(link.root, 'dir/file'));
  expect(() => seeContent(link.root, link.found, 'sha1', false).id).toThrow(/ELOOP/);
});

test.runIf(process.platform === 'linux')('a directory on the way that became a link is noticed', () => {
  using file = seen();
  renameSync(join(file.root, 'dir'), join(file.root, 'moved'));
  symlinkSync('moved', join(file.root, 'dir'));
  expect(() => seeContent(file.root, file.found, 'sha1', false).id).toThrow(WorkspaceMoved);
});
