import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallDisk } from '../../../test/support/small-disk.ts';
import { claimDurably, removeUnfinished, writeDurably, writeWhole } from './durable-file.ts';

test('on a full disk a file that could not be written leaves nothing behind, and the old one stays', ({ skip }) => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-durable-'));
  try {
    using disk = smallDisk(directory, '64k');
    if (disk === null) return skip('no small tmpfs');
    const file = join(directory, 'record.json');
    writeDurably(file, 'old');
    const huge = 'x'.repeat(100_000);
    for (const write of [writeDurably, writeWhole, claimDurably])
      expect(() => write(file, huge)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(readdirSync(directory)).toEqual(['record.json']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('what a dead process did not finish is removed; what a living one writes is not', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-durable-'));
  try {
    const { pid } = spawnSync('/bin/true');
    for (const name of [`exit.json.${pid}.new`, `exit.json.${process.pid}.new`, 'exit.json', 'notes.new'])
      writeFileSync(join(directory, name), '');
    removeUnfinished(directory);
    expect(readdirSync(directory).sort()).toEqual(['exit.json', `exit.json.${process.pid}.new`, 'notes.new']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
